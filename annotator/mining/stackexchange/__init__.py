"""The Stack Exchange funnel: a dump in, the questions worth an expert's time out, with a count for every stage."""
