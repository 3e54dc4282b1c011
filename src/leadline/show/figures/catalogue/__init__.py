"""The figures of the report, one file each: a function under `report_figure` that turns Evidence into a Figure."""
