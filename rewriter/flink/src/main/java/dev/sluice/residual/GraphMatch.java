package dev.sluice.residual;

import dev.sluice.capture.Graph;
import java.util.List;
import java.util.Locale;

/** Whether the job that was captured here is the one that was planned. */
final class GraphMatch {
    private GraphMatch() {}

    /** An {@link ExitException} says what differs, as far as the plan tells. */
    static void check(Graph graph, Plan plan) throws ExitException {
        if (!graph.digest().equals(plan.job().digest())) {
            throw new ExitException(
                    ExitException.USAGE,
                    "the job is not the one that query " + plan.query() + " version " + plan.version()
                            + " was planned from: " + difference(graph, plan)
                            + ". Use the jar that was deployed, or deploy this one");
        }
    }

    private static String difference(Graph graph, Plan plan) {
        List<Graph.Node> nodes = graph.nodes();
        for (PlannedInput input : plan.inputs()) {
            for (int node : input.prefix().nodes()) {
                if (node > nodes.size()) {
                    return "it has " + nodes.size() + " nodes, and node " + node + " is part of input " + input.name();
                }
            }
            Graph.Node source = nodes.get(input.prefix().source() - 1);
            if (source.source() == null) {
                return describe(source) + " is no source, and should be that of input " + input.name();
            }
            for (PlannedInput.Operator operator : input.operators()) {
                if (operator.node() != null) {
                    Graph.Node node = nodes.get(operator.node() - 1);
                    boolean same = operator.node() == source.id() || isNamed(operator.name(), node.name());
                    if (!same) {
                        return describe(node) + " should be the operator " + operator.name() + " of input "
                                + input.name();
                    }
                }
            }
        }
        if (!graph.flink().equals(plan.job().flink())) {
            return "it was planned with Flink " + plan.job().flink() + ", this is " + graph.flink();
        }
        return "what moved out of it is in its place, but other nodes or types are not the same";
    }

    /** The planner keeps what can be part of a topic's name, and makes names unique by numbers behind them. */
    private static boolean isNamed(String planned, String name) {
        String legal =
                name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]+", "-").replaceAll("^[-_]+|-+$", "");
        return legal.isEmpty() || planned.startsWith(legal) || legal.startsWith(planned);
    }

    private static String describe(Graph.Node node) {
        return "node " + node.id() + ", '" + node.name() + "',";
    }
}
