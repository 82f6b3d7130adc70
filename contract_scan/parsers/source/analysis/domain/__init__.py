"""What all layers of the analysis speak of: values, records, protocols of the layers above."""
