package dev.sluice.host;

import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.OutputTag;

/** What a process function sees: the event's time and the clock. */
final class ProcessContext {
    private final ProcessFunction<Object, Object>.Context context;
    private long time;

    ProcessContext(ProcessFunction<Object, Object> function) {
        this.context = function.new Context() {
            @Override
            public Long timestamp() {
                return time == Step.NO_TIME ? null : time;
            }

            @Override
            public TimerService timerService() {
                return Clock.INSTANCE;
            }

            @Override
            public <X> void output(OutputTag<X> tag, X value) {
                throw new UnsupportedOperationException("side outputs do not move out of the job");
            }
        };
    }

    ProcessFunction<Object, Object>.Context get() {
        return context;
    }

    /** The time of the event that comes next. */
    void setTime(long time) {
        this.time = time;
    }

    private enum Clock implements TimerService {
        INSTANCE;

        @Override
        public long currentProcessingTime() {
            return System.currentTimeMillis();
        }

        @Override
        public long currentWatermark() {
            throw new UnsupportedOperationException("the current watermark is not known outside of the job");
        }

        @Override
        public void registerProcessingTimeTimer(long time) {
            throw noTimers();
        }

        @Override
        public void registerEventTimeTimer(long time) {
            throw noTimers();
        }

        @Override
        public void deleteProcessingTimeTimer(long time) {
            throw noTimers();
        }

        @Override
        public void deleteEventTimeTimer(long time) {
            throw noTimers();
        }

        private static RuntimeException noTimers() {
            return new UnsupportedOperationException("timers are only for keyed streams");
        }
    }
}
