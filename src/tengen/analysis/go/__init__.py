"""Go in the analysis room: requests, positions, answers, records and reviews."""
