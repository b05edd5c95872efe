package dev.sluice.examples.q2;

/**
 * The grid of the DEBS 2015 challenge: 300 x 300 cells of 500 m over New York. Cells are counted
 * from 1, to the east and to the south; the challenge gives the centre of cell 1.1.
 */
final class Grid {
    private static final int CELLS = 300;
    private static final double FIRST_LONGITUDE = -74.913585;
    private static final double FIRST_LATITUDE = 41.474937;

    /** Degrees of longitude that are 500 m there. */
    private static final double WIDTH = 0.005986;

    /** Degrees of latitude that are 500 m. */
    private static final double HEIGHT = 0.004491556;

    private Grid() {}

    /** The column; 0, which is none, of a longitude that is no number. */
    static int east(double longitude) {
        return (int) Math.floor((longitude - FIRST_LONGITUDE) / WIDTH + 1.5);
    }

    /** The row; 0, which is none, of a latitude that is no number. */
    static int south(double latitude) {
        return (int) Math.floor((FIRST_LATITUDE - latitude) / HEIGHT + 1.5);
    }

    static boolean contains(int east, int south) {
        return east >= 1 && east <= CELLS && south >= 1 && south <= CELLS;
    }
}
