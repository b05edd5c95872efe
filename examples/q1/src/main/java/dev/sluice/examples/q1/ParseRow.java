package dev.sluice.examples.q1;

import java.time.DateTimeException;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * A line to a row, or to nothing when the row is not usable.
 *
 * <p>A byte-order mark at the start and one carriage return at the end of a line are removed, then
 * {@link Csv#split} cuts it. Dropped, in this order: a line that does not split, or not into 29
 * values; one whose POC, latitude, longitude, date, observation count, observation percent, mean,
 * first maximum value, first maximum hour or AQI is not in the form that {@link Numbers} takes (so
 * the header, and a row with a blank AQI); sample duration {@code 1 HOUR}; event type {@code
 * Excluded}; observation percent below 75; a mean below 0 (-0.0 is not below). The other columns
 * are kept as they stand, blank ones as the empty string.
 */
public final class ParseRow implements FlatMapFunction<String, AirRow> {
    private static final long serialVersionUID = 1;
    private static final int COLUMNS = 29;

    @Override
    public void flatMap(String line, Collector<AirRow> out) {
        AirRow row = parse(line);
        if (row != null) {
            out.collect(row);
        }
    }

    /** The row of a line; null when it is dropped. */
    static AirRow parse(String line) {
        int from = line.startsWith("\uFEFF") ? 1 : 0;
        int to = line.endsWith("\r") ? line.length() - 1 : line.length();
        List<String> values = Csv.split(line.substring(from, to));
        if (values == null || values.size() != COLUMNS) {
            return null;
        }
        AirRow row;
        try {
            row = row(values);
        } catch (NumberFormatException | DateTimeException notUsable) {
            return null;
        }
        boolean usable = !row.sampleDuration.equals("1 HOUR")
                && !row.eventType.equals("Excluded")
                && row.observationPercent >= 75
                && row.mean >= 0;
        return usable ? row : null;
    }

    private static AirRow row(List<String> values) {
        AirRow row = new AirRow();
        row.stateCode = values.get(0);
        row.countyCode = values.get(1);
        row.siteNum = values.get(2);
        row.parameterCode = values.get(3);
        row.poc = Numbers.integer(values.get(4));
        row.latitude = Numbers.decimal(values.get(5));
        row.longitude = Numbers.decimal(values.get(6));
        row.datum = values.get(7);
        row.parameterName = values.get(8);
        row.sampleDuration = values.get(9);
        row.pollutantStandard = values.get(10);
        row.dateLocal = Numbers.date(values.get(11));
        row.units = values.get(12);
        row.eventType = values.get(13);
        row.observationCount = Numbers.integer(values.get(14));
        row.observationPercent = Numbers.decimal(values.get(15));
        row.mean = Numbers.decimal(values.get(16));
        row.firstMaxValue = Numbers.decimal(values.get(17));
        row.firstMaxHour = Numbers.integer(values.get(18));
        row.aqi = Numbers.integer(values.get(19));
        row.methodCode = values.get(20);
        row.methodName = values.get(21);
        row.siteName = values.get(22);
        row.address = values.get(23);
        row.stateName = values.get(24);
        row.countyName = values.get(25);
        row.cityName = values.get(26);
        row.cbsaName = values.get(27);
        row.dateOfLastChange = values.get(28);
        return row;
    }
}
