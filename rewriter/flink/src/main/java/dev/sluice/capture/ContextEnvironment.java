package dev.sluice.capture;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironmentFactory;

/**
 * What {@code getExecutionEnvironment} gives: ours for a while, then what it gave before. With any context in place Flink
 * itself refuses local and remote environments.
 */
abstract class ContextEnvironment extends StreamExecutionEnvironment {
    private static final String DATA_SET = "org.apache.flink.api.java.ExecutionEnvironment";

    private ContextEnvironment() {}

    /**
     * Installs the factory for all threads that do not have one of their own.
     *
     * @throws ReflectiveOperationException in a version of Flink that has none of the fields
     */
    static Installed install(StreamExecutionEnvironmentFactory factory) throws ReflectiveOperationException {
        Field global = StreamExecutionEnvironment.class.getDeclaredField("contextEnvironmentFactory");
        global.setAccessible(true);
        Object before = global.get(null);
        global.set(null, factory);
        Runnable dataSetRemoval = refuseDataSets();
        return () -> {
            dataSetRemoval.run();
            try {
                global.set(null, before);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /** A factory in place. */
    interface Installed extends AutoCloseable {
        @Override
        void close();
    }

    /** Thrown where a program of the DataSet API asks for its environment. */
    static final class DataSetProgram extends Error {
        private static final long serialVersionUID = 1;

        DataSetProgram() {
            super("a program of the DataSet API");
        }
    }

    /** Flink 1 has a second API with an environment of its own, which would execute for real. */
    private static Runnable refuseDataSets() throws ReflectiveOperationException {
        Class<?> environment;
        Class<?> factory;
        try {
            environment = Class.forName(DATA_SET);
            factory = Class.forName(DATA_SET + "Factory");
        } catch (ClassNotFoundException e) {
            return () -> {};
        }
        Object refusal =
                Proxy.newProxyInstance(factory.getClassLoader(), new Class<?>[] {factory}, (p, method, args) -> {
                    throw new DataSetProgram();
                });
        Method install = environment.getDeclaredMethod("initializeContextEnvironment", factory);
        install.setAccessible(true);
        install.invoke(null, refusal);
        Method remove = environment.getDeclaredMethod("resetContextEnvironment");
        remove.setAccessible(true);
        return () -> {
            try {
                remove.invoke(null);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException(e);
            }
        };
    }
}
