# Daily rows of ten sites (or `sites`) of fine particles, in the form of the EPA's files, from 2012-01-01 on and without end.
function days_of(year, month) {
    if (month == 2) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}
BEGIN {
    # Sites of different devices differ.
    for (i = 1; i <= length(device); i++) {
        county = (county * 31 + index("abcdefghijklmnopqrstuvwxyz0123456789-_", substr(device, i, 1))) % 1000
    }
    srand(county)
    if (!sites) {
        sites = 10
    }
    for (year = 2012; ; year++) {
        for (month = 1; month <= 12; month++) {
            for (day = 1; day <= days_of(year, month); day++) {
                for (site = 1; site <= sites; site++) {
                    mean = int(50 + site % 10 * 8 + rand() * 60) / 10
                    printf "\"06\",\"%03d\",\"%04d\",\"88101\",1,37.7,-122.4,\"WGS84\",\"PM2.5 - Local Conditions\",\"24 HOUR\",", county, site
                    printf "\"PM25 24-hour 2012\",\"%04d-%02d-%02d\",\"Micrograms/cubic meter (LC)\",\"None\",1,100.0,", year, month, day
                    printf "%.1f,%.1f,0,%d,\"118\",\"Gravimetric\",\"Station %d\",\"1 Street\",\"California\",\"County\",", mean, mean, mean * 4, site
                    printf "\"City\",\"Region\",\"%04d-%02d-%02d\"\n", year, month, day
                }
            }
        }
    }
}
