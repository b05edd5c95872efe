package dev.sluice.examples.q2;

/** Lines for tests. */
final class Lines {
    private Lines() {}

    /** A trip in the form of the DEBS 2015 challenge. */
    static final String DEBS = "A1B2C3D4E5F60718293A4B5C6D7E8F90,0F1E2D3C4B5A69788796A5B4C3D2E1F0,"
            + "2013-01-01 00:00:00,2013-01-01 00:02:00,120,0.44,-73.956528,40.716976,-73.962440,40.715008,"
            + "CSH,3.50,0.50,0.50,0.00,0.00,4.50";

    /** A trip in the form of the city's trip file. */
    static final String CITY = "A1B2C3D4E5F60718293A4B5C6D7E8F90,0F1E2D3C4B5A69788796A5B4C3D2E1F0,VTS,1,,"
            + "2013-01-13 04:36:00,2013-01-13 04:46:07,5,607,3.12,-73.996933,40.720055,-73.993546,40.69304";

    static final String CITY_HEADER = "medallion,hack_license,vendor_id,rate_code,store_and_fwd_flag,pickup_datetime,"
            + "dropoff_datetime,passenger_count,trip_time_in_secs,trip_distance,pickup_longitude,pickup_latitude,"
            + "dropoff_longitude,dropoff_latitude";

    /** {@link #DEBS} with another value in a column, counted from 0. */
    static String debsWith(int column, String value) {
        return with(DEBS, column, value);
    }

    /** {@link #CITY} with another value in a column, counted from 0. */
    static String cityWith(int column, String value) {
        return with(CITY, column, value);
    }

    private static String with(String line, int column, String value) {
        String[] values = line.split(",", -1);
        values[column] = value;
        return String.join(",", values);
    }
}
