/** Functions of events that are objects. */
final class Events {
    private Events() {}

    /** An event. */
    public static class Event {
        public String name;
        public int size;
        public Integer extra;
    }

    static Event renamed(Event e) {
        if (e != null && e.size > 3) {
            e.name = "big";
        }
        return e;
    }

    static Event fresh(Event e) {
        if (e == null) {
            e = new Event();
            e.name = "new";
        }
        e.size++;
        return e;
    }

    static Event listed(Event e) {
        java.util.List<Event> events = new java.util.ArrayList<>();
        events.add(e);
        Event first = events.get(0);
        first.extra = first.size + 1;
        return e;
    }

    static Event loops(Event e) {
        for (int i = 0; i < 3; i++) {
            if (e.name == null) {
                e.name = "none";
            }
            e.size += e.name.length() + i;
        }
        return e;
    }

    static Event chosen(Event e) {
        return e.size > 3 ? e : null;
    }
}
