"""What serializers of C# are set to, and where code says it."""
