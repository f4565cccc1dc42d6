// Writes an ONNX model: the few messages of onnx.proto that a graph of float32 operations needs.
// A message's fields are written as Protocol Buffers: key (number and wire type), then the value.

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET = 13;

const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INT = 2;

const encoder = new TextEncoder();

/** @param {Uint8Array[]} parts */
function concatenate(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {number} value   whole, not negative */
function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}

/** @param {number} field @param {number} wireType */
const key = (field, wireType) => varint(field * 8 + wireType);

/** @param {number} field @param {number} value */
const integer = (field, value) => concatenate([key(field, VARINT), varint(value)]);

/** @param {number} field @param {number} value */
const float = (field, value) =>
  concatenate([key(field, FIXED32), new Uint8Array(Float32Array.of(value).buffer)]);

/** @param {number} field @param {Uint8Array} bytes */
const bytesField = (field, bytes) => concatenate([key(field, LENGTH_DELIMITED), varint(bytes.length), bytes]);

/** @param {number} field @param {string} value */
const text = (field, value) => bytesField(field, encoder.encode(value));

/** @param {number} field @param {...Uint8Array} members */
const message = (field, ...members) => bytesField(field, concatenate(members));

/** A graph that grows operation by operation. Values are named; names are chosen here unless they are given. */
export class GraphBuilder {
  /** @type {Uint8Array[]} */
  #members = [];
  #nNames = 0;

  /**
   * An operation with one output.
   * @param {string} type
   * @param {string[]} inputs
   * @param {Record<string, number | {float: number}>} [attributes]
   * @param {string} [output]
   * @returns {string} the output's name
   */
  add(type, inputs, attributes = {}, output = `value${this.#nNames++}`) {
    const members = Object.entries(attributes).map(([name, value]) =>
      typeof value === 'number'
        ? message(5, text(1, name), integer(3, value), integer(20, ATTRIBUTE_INT))
        : message(5, text(1, name), float(2, value.float), integer(20, ATTRIBUTE_FLOAT)),
    );
    this.#members.push(
      message(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, type), ...members),
    );
    return output;
  }

  /** @param {number} value @returns {string} */
  scalar(value) {
    const name = `scalar${this.#nNames++}`;
    const raw = new Uint8Array(Float32Array.of(value).buffer);
    this.#members.push(message(5, integer(2, FLOAT), text(8, name), bytesField(9, raw)));
    return name;
  }

  /** @param {number[]} values @returns {string} a vector of int64 */
  integers(values) {
    const name = `integers${this.#nNames++}`;
    const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    this.#members.push(message(5, integer(1, values.length), integer(2, INT64), text(8, name), bytesField(9, raw)));
    return name;
  }

  /** @param {string} name @param {(number | string)[]} shape   a name stands for a size not known yet */
  input(name, shape) {
    this.#members.push(valueInfo(11, name, shape));
    return name;
  }

  /** @param {string} name @param {(number | string)[]} shape */
  output(name, shape) {
    this.#members.push(valueInfo(12, name, shape));
  }

  /** @returns {Uint8Array} the model */
  finish() {
    const opset = message(8, text(1, ''), integer(2, OPSET));
    return concatenate([integer(1, IR_VERSION), opset, message(7, text(2, 'training'), ...this.#members)]);
  }
}

/** @param {number} field @param {string} name @param {(number | string)[]} shape */
function valueInfo(field, name, shape) {
  const sizes = shape.map((size) => message(1, typeof size === 'string' ? text(2, size) : integer(1, size)));
  const tensorType = message(1, integer(1, FLOAT), message(2, ...sizes));
  return message(field, text(1, name), message(2, tensorType));
}
