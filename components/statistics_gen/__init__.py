"""StatisticsGen without Beam where one machine does the work; for pipeline/ only."""
