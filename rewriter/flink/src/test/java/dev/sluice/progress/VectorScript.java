package dev.sluice.progress;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Runs a script of {@code tests/vectors/progress} (format: {@code tests/vectors/README.md}). */
final class VectorScript {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Limits limits;
    private final List<FrameInfo> records = new ArrayList<>();
    private PartitionProgress<Long> progress;
    private long nextOffset;

    VectorScript(JsonNode script) {
        limits = limits(script.path("limits"));
        nextOffset = script.path("start").path("offset").asLong(0);
        progress = new PartitionProgress<>(
                limits, nextOffset, script.path("start").path("trimmed").asBoolean(false));
    }

    /** Feeds a step, and returns the actions as text. */
    List<String> step(JsonNode step) throws IOException {
        JsonNode input = step.path("do");
        String name = input.fieldNames().next();
        JsonNode value = input.get(name);
        switch (name) {
            case "joined" -> progress.joined(value.asText());
            case "left" -> progress.left(value.asText());
            case "skipped" -> {
                nextOffset = value.get("next").asLong();
                progress.skipped(value.get("append").asLong(), nextOffset);
            }
            case "tick" -> progress.tick(
                    value.get("now").asLong(), value.get("end").asBoolean());
            case "frame" -> {
                FrameInfo frame = frame(value);
                nextOffset = frame.nextOffset();
                if (!progress.frame(frame, frame.offset())) {
                    return List.of("malformed");
                }
                records.add(frame);
            }
            case "restore" -> {
                return restore();
            }
            default -> throw new IllegalArgumentException("no input: " + name);
        }
        return drain(step.path("stop").asInt(Integer.MAX_VALUE));
    }

    private List<String> restore() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        progress.snapshot(new DataOutputStream(bytes));
        long offset = progress.checkpointOffset();
        progress =
                PartitionProgress.restore(limits, new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        List<String> actions = new ArrayList<>(drain(Integer.MAX_VALUE));
        for (FrameInfo frame : records) {
            if (frame.offset() >= offset) {
                progress.frame(frame, frame.offset());
                actions.addAll(drain(Integer.MAX_VALUE));
            }
        }
        return actions;
    }

    private List<String> drain(int stop) {
        List<String> actions = new ArrayList<>();
        while (actions.size() < stop) {
            Action<Long> action = progress.next();
            if (action == null) {
                break;
            }
            actions.add(text(action));
        }
        return actions;
    }

    /** What the state shows after a step. */
    JsonNode state() {
        ObjectNode state = JSON.createObjectNode();
        watermark(state, progress.advanceWatermark());
        state.put("idle", progress.isIdle());
        state.put("offset", progress.checkpointOffset());
        state.put("held", progress.heldBytes());
        ObjectNode devices = state.putObject("devices");
        for (DeviceMetrics metrics : progress.metrics()) {
            ObjectNode device = devices.putObject(metrics.device());
            watermark(device, metrics.watermarkMs());
            device.put("frontier", metrics.frontier());
            device.put("missing", metrics.missing());
            device.put("held", metrics.heldBytes());
            device.put("active", metrics.active());
            device.put("fallback", metrics.fallback());
            device.put("duplicates", metrics.duplicateFrames());
            device.put("late", metrics.lateSeqs());
            device.put("gaps", metrics.gapSeqs());
            device.put("forgotten", metrics.forgottenFrames());
            device.put("fallbacks", metrics.fallbacks());
        }
        return state;
    }

    private static void watermark(ObjectNode node, long watermarkMs) {
        if (watermarkMs == PartitionProgress.NO_WATERMARK) {
            node.putNull("watermark");
        } else {
            node.put("watermark", watermarkMs);
        }
    }

    private FrameInfo frame(JsonNode text) {
        JsonNode previous = text.path("previous");
        long last = text.get("last").asLong();
        long offset = text.path("offset").asLong(nextOffset);
        return new FrameInfo(
                FrameKind.valueOf(text.path("kind").asText("data").toUpperCase(Locale.ROOT)),
                text.path("device").asText("a"),
                text.path("incarnation").asLong(1),
                previous.isArray()
                        ? new Previous(previous.get(0).asLong(), previous.get(1).asLong())
                        : null,
                text.path("first").asLong(last + 1),
                last,
                text.path("watermark").asLong(PartitionProgress.NO_WATERMARK),
                text.path("bytes").asLong(1),
                text.get("append").asLong(),
                offset,
                text.path("next").asLong(offset + 1));
    }

    private static Limits limits(JsonNode changes) {
        Limits defaults = Limits.defaults();
        return new Limits(
                changes.path("event_time_order").asBoolean(defaults.eventTimeOrder()),
                changes.path("declare_lost_holes").asBoolean(defaults.declareLostHoles()),
                changes.path("idle_after_ms").asLong(defaults.idleAfterMs()),
                changes.path("start_grace_ms").asLong(defaults.startGraceMs()),
                changes.path("hole_limit_ms").asLong(defaults.holeLimitMs()),
                changes.path("silent_hole_limit_ms").asLong(defaults.silentHoleLimitMs()),
                changes.path("settle_ms").asLong(defaults.settleMs()),
                changes.path("max_ahead_ms").asLong(defaults.maxAheadMs()),
                changes.path("held_bytes").asLong(defaults.heldBytes()),
                changes.path("max_intervals").asInt(defaults.maxIntervals()),
                changes.path("max_closed").asInt(defaults.maxClosed()));
    }

    private static String text(Action<Long> action) {
        if (action instanceof Action.Pass<Long> pass) {
            String late = pass.lateSeqs() > 0 ? " late=" + pass.lateSeqs() : "";
            return "pass " + pass.device() + "/" + pass.incarnation() + " @" + pass.frame() + " " + text(pass.ranges())
                    + late;
        }
        if (action instanceof Action.Drop<Long> drop) {
            return "drop " + drop.device() + "/" + drop.incarnation() + " @" + drop.frame() + " " + text(drop.reason());
        }
        if (action instanceof Action.Gap<Long> gap) {
            return "gap " + gap.device() + "/" + gap.incarnation() + " " + text(gap.ranges()) + " "
                    + text(gap.reason());
        }
        if (action instanceof Action.Opened<Long> opened) {
            return "opened " + opened.device() + "/" + opened.incarnation();
        }
        if (action instanceof Action.FellBack<Long> fellBack) {
            return "fell-back " + fellBack.device() + " " + text(fellBack.reason());
        }
        if (action instanceof Action.Settled<Long> settled) {
            return "settled " + settled.device() + "/" + settled.incarnation() + " base=" + settled.base();
        }
        if (action instanceof Action.Returned<Long> returned) {
            return "returned " + returned.device();
        }
        return "left " + action.device();
    }

    private static String text(Enum<?> reason) {
        return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String text(List<SeqRange> ranges) {
        return ranges.stream().map(range -> range.first() + "-" + range.last()).collect(Collectors.joining(","));
    }
}
