package dev.sluice.host;

import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.apache.flink.runtime.util.EnvironmentInformation;

/**
 * Listens on a Unix socket until its input ends: then its owner is gone. What the user's code prints goes to the error output;
 * the first line of the output is the greeting.
 */
public final class HostMain {
    private static final int USAGE = 64;
    private static final int UNAVAILABLE = 69;

    private HostMain() {}

    /** The only argument is the socket's path. */
    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: java -jar sluice-host.jar SOCKET");
            System.exit(USAGE);
        }
        PrintStream owner = System.out;
        System.setOut(System.err);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(Path.of(args[0])));
            thread("owner", HostMain::awaitOwnersEnd).start();
            owner.println(Protocol.greeting(EnvironmentInformation.getVersion()));
            owner.flush();
            serve(server);
        } catch (IOException e) {
            System.err.println(args[0] + ": " + e.getMessage());
            System.exit(UNAVAILABLE);
        }
    }

    private static void serve(ServerSocketChannel server) throws IOException {
        Loaders loaders = new Loaders();
        while (true) {
            SocketChannel channel = server.accept();
            thread("chain", new Connection(channel, loaders)).start();
        }
    }

    private static Thread thread(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The user's code may have started threads and hooks that do not end. */
    private static void awaitOwnersEnd() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            // Gone as well.
        }
        Runtime.getRuntime().halt(0);
    }
}
