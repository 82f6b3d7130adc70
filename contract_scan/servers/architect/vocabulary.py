"""The words that give a document its structure, in German, French and Spanish, as English ones.

Headings of sections and tables and labels are looked up here before they are compared with the
words that each part of a document is known by. What has no entry stays as it is written.
"""

from __future__ import annotations

import unicodedata

from contract_scan.servers.architect.names import plain_text

SERVICE_PARTS = frozenset(
    {
        "services",
        "microservices",
        "modules",
        "components",
        "subsystems",
        "bounded contexts",
        "service map",
        "service overview",
        "services overview",
        "service catalog",
        "service catalogue",
        "system components",
    }
)
"""Headings of sections in which every heading, item and row is a service."""
ENTITY_PARTS = frozenset(
    {
        "entities",
        "domain entities",
        "data entities",
        "domain model",
        "data model",
        "data models",
        "domain objects",
        "models",
        "aggregates",
        "domain",
        "entities and fields",
    }
)
"""Headings of sections in which every heading, item and row is an entity."""
EVENT_PARTS = frozenset(
    {"events", "domain events", "integration events", "messages", "event catalog", "messaging"}
)
"""Headings of sections about events."""
PARTS = SERVICE_PARTS | ENTITY_PARTS | EVENT_PARTS

_TERMS = {
    # the parts of a system
    "dienste": "services",
    "mikrodienste": "microservices",
    "komponenten": "components",
    "systemkomponenten": "system components",
    "teilsysteme": "subsystems",
    "servicios": "services",
    "microservicios": "microservices",
    "modulos": "modules",
    "componentes": "components",
    "composants": "components",
    "contextes delimites": "bounded contexts",
    "contextos delimitados": "bounded contexts",
    "begrenzte kontexte": "bounded contexts",
    "dienst": "service",
    "servicio": "service",
    "komponente": "component",
    "composant": "component",
    "componente": "component",
    "modul": "module",
    "modulo": "module",
    # what they are about
    "entitaten": "entities",
    "entites": "entities",
    "entidades": "entities",
    "entitat": "entity",
    "entite": "entity",
    "entidad": "entity",
    "domanenmodell": "domain model",
    "fachliches modell": "domain model",
    "modele de domaine": "domain model",
    "modele du domaine": "domain model",
    "modelo de dominio": "domain model",
    "datenmodell": "data model",
    "modele de donnees": "data model",
    "modelo de datos": "data model",
    "agregats": "aggregates",
    "agregados": "aggregates",
    # parts of an entity
    "feld": "field",
    "champ": "field",
    "campo": "field",
    "felder": "fields",
    "champs": "fields",
    "campos": "fields",
    "attribut": "attribute",
    "atributo": "attribute",
    "attributs": "attributes",
    "atributos": "attributes",
    "eigenschaften": "properties",
    "typ": "type",
    "tipo": "type",
    "datentyp": "data type",
    "nom": "name",
    "nombre": "name",
    "erforderlich": "required",
    "pflicht": "required",
    "requis": "required",
    "obligatoire": "required",
    "obligatorio": "required",
    "requerido": "required",
    "zustande": "states",
    "etats": "states",
    "estados": "states",
    "statut": "status",
    "estado": "status",
    "beziehungen": "relationships",
    "relaciones": "relationships",
    # who has what
    "besitzt": "owns",
    "possede": "owns",
    "posee": "owns",
    "besitzer": "owner",
    "verantwortlich": "owner",
    "proprietaire": "owner",
    "propietario": "owner",
    "ruft auf": "calls",
    "appelle": "calls",
    "llama a": "calls",
    "abhangigkeiten": "dependencies",
    "dependances": "dependencies",
    "dependencias": "dependencies",
    # events
    "ereignisse": "events",
    "evenements": "events",
    "eventos": "events",
    "ereignis": "event",
    "evenement": "event",
    "evento": "event",
    "sender": "publisher",
    "editeur": "publisher",
    "emetteur": "publisher",
    "publicador": "publisher",
    "emisor": "publisher",
    "empfanger": "consumers",
    "consommateurs": "consumers",
    "consumidores": "consumers",
    "nutzlast": "payload",
    "charge utile": "payload",
    "carga util": "payload",
    # endpoints
    "endpunkt": "endpoint",
    "point d'acces": "endpoint",
    "punto de acceso": "endpoint",
    "methode": "method",
    "metodo": "method",
    "anfrage": "request",
    "requete": "request",
    "solicitud": "request",
    "antwort": "response",
    "reponse": "response",
    "respuesta": "response",
    # text that is about none of these
    "beschreibung": "description",
    "descripcion": "description",
    "verantwortung": "responsibility",
    "responsabilite": "responsibility",
    "responsabilidad": "responsibility",
    "ubersicht": "overview",
    "uberblick": "overview",
    "apercu": "overview",
    "vue d'ensemble": "overview",
    "resumen": "summary",
    "zusammenfassung": "summary",
    "einleitung": "introduction",
    "einfuhrung": "introduction",
    "introduccion": "introduction",
    "anmerkungen": "notes",
    "hinweise": "notes",
    "notas": "notes",
}


def term(text: str) -> str:
    """A heading or label in small letters, as the English word for it where it is a word of
    structure in another language."""
    letters = unicodedata.normalize("NFKD", plain_text(text).replace("\u2019", "'"))
    bare = "".join(one for one in letters if not unicodedata.combining(one)).lower().strip()
    return _TERMS.get(bare, plain_text(text).lower())
