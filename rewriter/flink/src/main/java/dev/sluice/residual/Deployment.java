package dev.sluice.residual;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.MalformedException;
import dev.sluice.avro.Schemas;
import dev.sluice.source.DeployedInput;

/** Reads what is deployed from {@code sluice.queries}. */
final class Deployment {
    /** The topic, keyed by query. */
    static final String TOPIC = "sluice.queries";

    private Deployment() {}

    /** The deployed query that the settings name, checked; an {@link ExitException} says what does not fit. */
    static Plan of(LauncherSettings settings) throws ExitException {
        Cluster cluster = new Cluster(settings.kafka(), settings.query());
        return cluster.ask(deployed -> {
            Plan plan = plan(deployed, settings);
            for (PlannedInput input : plan.inputs()) {
                cluster.check(deployed(input));
            }
            return plan;
        });
    }

    /** The plan in a record. */
    static Plan plan(byte[] deployed, LauncherSettings settings) throws ExitException {
        Plan plan;
        try {
            plan = Plan.of(Confluent.decode(Schemas.DEPLOYED_QUERY.schema(), deployed));
        } catch (MalformedException | IllegalArgumentException e) {
            throw usage(
                    TOPIC + " has a record for query " + settings.query() + " that can't be read: " + e.getMessage());
        }
        if (settings.version() != null && settings.version() != plan.version()) {
            throw usage("version is " + settings.version() + ", but " + plan.version() + " of query " + plan.query()
                    + " is deployed");
        }
        if (plan.job() == null) {
            throw usage(
                    "query " + plan.query() + " was deployed from a plan without a job: run `sluice deploy JOB.jar`");
        }
        for (PlannedInput input : plan.inputs()) {
            if (input.prefix() == null) {
                throw usage("input " + input.name() + " of query " + plan.query() + " does not say what moved");
            }
        }
        return plan;
    }

    /** As the frame source needs it. */
    static DeployedInput deployed(PlannedInput input) throws ExitException {
        try {
            return input.deployed();
        } catch (IllegalArgumentException e) {
            throw usage("input " + input.name() + ": " + e.getMessage());
        }
    }

    private static ExitException usage(String message) {
        return new ExitException(ExitException.USAGE, message);
    }
}
