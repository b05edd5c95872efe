package dev.sluice.equivalence;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Lines from a socket. */
public final class Socket {
    private Socket() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("localhost", 9999)
                .filter(line -> line.length() > 3)
                .map(line -> Tuple2.of(line.split(" ")[0], line.length()))
                .returns(Types.TUPLE(Types.STRING, Types.INT))
                .keyBy(pair -> pair.f0)
                .max(1)
                .print();
        env.execute("socket");
    }
}
