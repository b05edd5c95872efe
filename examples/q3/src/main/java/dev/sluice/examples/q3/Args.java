package dev.sluice.examples.q3;

/** The job's arguments, {@code --name value} each. */
final class Args {
    static final String USAGE = "--brokers HOST:PORT --input TOPIC --output TOPIC [--threshold-kwh X] [--group NAME]"
            + " [--parallelism N] [--checkpoint-dir URI] [--checkpoint-ms N] [--exactly-once true] [--bounded true]";

    String brokers;
    String input;
    String output;

    /** Readings up to this are left out, kWh in half an hour. */
    double thresholdKwh = 2.0;

    /** Also the prefix of the sink's transactions, so unique to a running job. */
    String group = "meter-spikes";

    int parallelism = 1;
    String checkpointDir;
    long checkpointMs = 1000;
    boolean exactlyOnce;

    /** Whether to stop at the input's present end. */
    boolean bounded;

    private Args() {}

    /** Reads the arguments; an {@link IllegalArgumentException} says what is wrong. */
    static Args parse(String... args) {
        Args parsed = new Args();
        for (int i = 0; i < args.length; i += 2) {
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " has no value; usage: " + USAGE);
            }
            String value = args[i + 1];
            switch (args[i]) {
                case "--brokers" -> parsed.brokers = value;
                case "--input" -> parsed.input = value;
                case "--output" -> parsed.output = value;
                case "--threshold-kwh" -> parsed.thresholdKwh = Double.parseDouble(value);
                case "--group" -> parsed.group = value;
                case "--parallelism" -> parsed.parallelism = Integer.parseInt(value);
                case "--checkpoint-dir" -> parsed.checkpointDir = value;
                case "--checkpoint-ms" -> parsed.checkpointMs = Long.parseLong(value);
                case "--exactly-once" -> parsed.exactlyOnce = Boolean.parseBoolean(value);
                case "--bounded" -> parsed.bounded = Boolean.parseBoolean(value);
                default -> throw new IllegalArgumentException("unknown " + args[i] + "; usage: " + USAGE);
            }
        }
        return parsed;
    }

    /** The value of an argument that can't be left out. */
    static String required(String name, String value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing; usage: " + USAGE);
        }
        return value;
    }
}
