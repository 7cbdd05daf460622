"""The few words of JSON Schema that our schema uses, so that the core needs no validator package."""

from __future__ import annotations

from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def find_violation(value: object, schema: dict[str, Any], place: str = "$") -> tuple[str, str] | None:
    """The first place at which the value departs from the schema, and how; None where it does not."""
    wanted = schema.get("type", list(TYPES))
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(_is(value, name) for name in names):
        return place, f"must be {' or '.join(names)}, not {type(value).__name__}"
    if "enum" in schema and value not in schema["enum"]:
        return place, f"must be one of {schema['enum']}, not {value!r}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            return place, f"must be at least {schema['minimum']}, not {value}"
        if "maximum" in schema and value > schema["maximum"]:
            return place, f"must be at most {schema['maximum']}, not {value}"
    if isinstance(value, list):
        return _first(find_violation(item, schema.get("items", {}), f"{place}[{at}]") for at, item in enumerate(value))
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                return place, f"{name!r} is missing"
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        if others is False and (unknown := sorted(set(value) - set(known))):
            return place, f"{unknown[0]!r} is unknown"
        rest = others if isinstance(others, dict) else {}
        return _first(find_violation(item, known.get(name, rest), f"{place}.{name}") for name, item in value.items())
    return None


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):  # Python counts True as an integer, JSON does not
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _first(violations: Any) -> tuple[str, str] | None:  # noqa: ANN401
    return next((violation for violation in violations if violation is not None), None)
