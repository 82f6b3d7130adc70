"""What messaging libraries of all languages share: records of libraries, and brokers."""
