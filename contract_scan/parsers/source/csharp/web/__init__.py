"""What web libraries of C# have in common: paths, requests, responses."""
