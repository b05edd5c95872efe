package dev.sluice.examples.q1;

/** One row of the EPA's daily summary file, its 29 columns in their order. */
public class AirRow {
    public String stateCode;
    public String countyCode;
    public String siteNum;
    public String parameterCode;
    public int poc;
    public double latitude;
    public double longitude;
    public String datum;
    public String parameterName;
    public String sampleDuration;
    public String pollutantStandard;

    /** Midnight in UTC of the local date, epoch milliseconds. */
    public long dateLocal;

    public String units;
    public String eventType;
    public int observationCount;
    public double observationPercent;

    /** Arithmetic mean of the day, micrograms per cubic metre. */
    public double mean;

    public double firstMaxValue;
    public int firstMaxHour;
    public int aqi;
    public String methodCode;
    public String methodName;
    public String siteName;
    public String address;
    public String stateName;
    public String countyName;
    public String cityName;
    public String cbsaName;
    public String dateOfLastChange;

    public AirRow() {}
}
