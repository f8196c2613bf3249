# SPDX-License-Identifier: Apache-2.0
"""What takt itself needs of a ROS 2 type, as a C++ header beside rosidl's: its name, its definition and a walk over
its fields. From these the library derives encoding, layout checks and type hashes (src/takt/msgs/fields.hpp says how);
nothing is compiled for a type that a program does not use. The headers include nothing of takt.
"""

RAW = "takt_definition"  # delimiter of raw strings


def snake_case(name):
    """A type's name as in rosidl's file names."""
    from rosidl_pycommon import convert_camel_case_to_lower_case_underscore

    return convert_camel_case_to_lower_case_underscore(name)


def parts_of(path, specification, text):
    """(type name, specification, definition) of the messages in a file: one, or a service's request and response."""
    if path.suffix == ".msg":
        return [(path.stem, specification, text)]
    lines = text.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.rstrip() == "---")
    return [(f"{path.stem}_Request", specification.request, "".join(lines[:at])),
            (f"{path.stem}_Response", specification.response, "".join(lines[at + 1:]))]


def raw_string(text):
    return f'R"{RAW}({text}){RAW}"'


def message_fields(package, kind, name, specification, text):
    fields = [(field.name, field.type.string_upper_bound or 0) for field in specification.fields]
    fields = fields or [("structure_needs_at_least_one_member", 0)]
    visits = "\n           && ".join(f'visitor("{field}", message.{field}, {bound})' for field, bound in fields)
    places = "\n           && ".join(
        f"visitor.template field<decltype(Type::{field})>(offsetof(Type, {field}))" for field, _ in fields)
    return f"""
template <>
struct Fields<::{package}::{kind}::{name}> {{
  using Type = ::{package}::{kind}::{name};
  static constexpr const char* kName = "{package}/{kind}/{name}";
  static constexpr const char* kDefinition = {raw_string(text)};
  template <typename Message, typename Visitor>
  static constexpr bool visit(Message& message, Visitor&& visitor) {{
    return {visits};
  }}
  template <typename Visitor>
  static constexpr bool layout(Visitor&& visitor) {{
    return {places};
  }}
}};
"""


def service_fields(package, name, text):
    return f"""
template <>
struct Fields<::{package}::srv::{name}> {{
  static constexpr const char* kName = "{package}/srv/{name}";
  static constexpr const char* kDefinition = {raw_string(text)};
  using Request = ::{package}::srv::{name}_Request;
  using Response = ::{package}::srv::{name}_Response;
}};
"""


def fields_header(package, path, specification, text):
    """The text of PACKAGE/KIND/detail/NAME__fields.hpp."""
    kind = path.suffix[1:]
    parts = parts_of(path, specification, text)
    used = {(field.type.pkg_name, field.type.type) for _, part, _ in parts for field in part.fields
            if not field.type.is_primitive_type()}
    includes = [f'#include "{pkg}/msg/detail/{snake_case(name)}__fields.hpp"' for pkg, name in sorted(used)]
    body = "".join(message_fields(package, kind, *part) for part in parts)
    if kind == "srv":
        body += service_fields(package, path.stem, text)
    return "\n".join([
        f"// generated from {package}/{kind}/{path.name}", "#pragma once", "#include <cstddef>",
        f'#include "{package}/{kind}/detail/{snake_case(path.stem)}__struct.hpp"', *includes,
        "namespace takt::msgs {", "template <typename>", "struct Fields;", body, "}  // namespace takt::msgs", ""])


def add_fields_headers(package, include_folder, parsed):
    """Writes the headers of all (path, specification) beside rosidl's, which then include them, and
    PACKAGE/definitions.inc: the definitions as pairs of strings."""
    table = []
    for path, specification in parsed:
        kind = path.suffix[1:]
        text = path.read_text(encoding="utf-8")
        folder = include_folder / package / kind
        detail = f"detail/{snake_case(path.stem)}__fields.hpp"
        (folder / detail).write_text(fields_header(package, path, specification, text), encoding="utf-8")
        header = folder / f"{snake_case(path.stem)}.hpp"
        content = header.read_text(encoding="utf-8")
        end = content.rindex("#endif")
        header.write_text(f'{content[:end]}#include "{package}/{kind}/{detail}"\n\n{content[end:]}', encoding="utf-8")
        table.append(f'{{"{package}/{kind}/{path.stem}", {raw_string(text)}}},\n')
    (include_folder / package / "definitions.inc").write_text("".join(table), encoding="utf-8")
