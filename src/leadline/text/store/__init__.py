"""The one store of what people do and of what is remembered."""
