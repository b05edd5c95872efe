package dev.example;

/** A value of a sensor. */
public class Reading {
    public String name;
    public long value;
    public Integer level;

    public Reading() {}

    public Reading(String name, long value) {
        this.name = name;
        this.value = value;
    }
}
