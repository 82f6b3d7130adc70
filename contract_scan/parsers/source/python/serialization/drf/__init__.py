"""How serializers of Django REST framework write classes."""
