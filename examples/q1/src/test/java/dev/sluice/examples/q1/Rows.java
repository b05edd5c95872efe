package dev.sluice.examples.q1;

/** Lines for tests. */
final class Rows {
    private Rows() {}

    /** A usable row in the quoted form of the 2012 file. */
    static final String QUOTED =
            "\"01\",\"003\",\"0010\",\"88101\",1,30.5,-87.880258,\"NAD83\",\"PM2.5 - Local Conditions\","
                    + "\"24 HOUR\",\"PM25 24-hour 2012\",\"2012-01-01\",\"Micrograms/cubic meter (LC)\",\"None\","
                    + "1,100.0,6.7,6.7,0,28,\"118\",\"Sampler - GRAVIMETRIC\",\"FAIRHOPE, Alabama\","
                    + "\"1 PIRATE DRIVE, FAIRHOPE,  ALABAMA\",\"Alabama\",\"Baldwin\",\"Fairhope\","
                    + "\"Daphne-Fairhope-Foley, AL\",\"2014-06-07\"";

    /** A usable row in the unquoted form of the 2016 file. */
    static final String PLAIN = "1,73,23,88101,3,33.553056,-86.815,WGS84,PM2.5 - Local Conditions,24-HR BLK AVG,"
            + "PM25 24-hour 2012,2016-01-15,Micrograms/cubic meter (LC),Included,1,100.0,10.2,10.2,0,43.0,"
            + ", - ,North Birmingham,\"NO. B'HAM,SOU R.R., 3009 28TH ST. NO.\",Alabama,Jefferson,"
            + "Birmingham,\"Birmingham-Hoover, AL\",2020-05-19";

    /** {@link #PLAIN} with another value in a column that has no comma, counted from 0. */
    static String plainWith(int column, String value) {
        String[] values = PLAIN.split(",", -1);
        values[column] = value;
        return String.join(",", values);
    }
}
