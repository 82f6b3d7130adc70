"""How Spring MVC and WebFlux controllers are read."""
