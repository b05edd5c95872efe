package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;

/** Rows with named fields, some null. */
public final class Rows {
    private static final TypeInformation<Row> TYPE =
            Types.ROW_NAMED(new String[] {"sensor", "time", "value"}, Types.STRING, Types.LONG, Types.DOUBLE);

    private Rows() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(Reading::parse)
                .map(reading -> reading == null
                        ? Row.of(null, null, null)
                        : Row.of(reading.sensor, reading.time, reading.value))
                .returns(TYPE)
                .filter(row -> row.getField(0) != null)
                .keyBy(row -> (String) row.getField(0))
                .reduce((one, other) -> one.getField(2) == null ? other : one)
                .print();
        env.execute("rows");
    }
}
