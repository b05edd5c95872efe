package dev.sluice.examples.q1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CategoryTest {
    @ParameterizedTest
    @CsvSource({
        "0,Good",
        "50,Good",
        "51,Moderate",
        "100,Moderate",
        "101,Unhealthy for Sensitive Groups",
        "150,Unhealthy for Sensitive Groups",
        "151,Unhealthy",
        "200,Unhealthy",
        "201,Very Unhealthy",
        "300,Very Unhealthy",
        "301,Hazardous",
    })
    void bands(int aqi, String category) {
        assertEquals(category, Category.of(aqi));
    }
}
