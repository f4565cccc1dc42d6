// Protocol Buffers, written only: as much of the encoding as an ONNX file needs. Long fields are not copied, the message
// is a list of pieces. https://protobuf.dev/programming-guides/encoding/

const VARINT = 0;
const LENGTH_DELIMITED = 2;

const encoder = new TextEncoder();

/** A message that is being written. Fields stand in the order in which they are added. */
export class Message {
  /** @type {Uint8Array<ArrayBuffer>[]} the message, in pieces; to be read */
  pieces = [];
  /** How long all pieces are; to be read. */
  nBytes = 0;

  /** @param {number} field @param {number} value   a safe integer, 0 or more */
  integer(field, value) {
    return this.#tag(field, VARINT).#add(varint(value));
  }

  /** @param {number} field @param {Uint8Array<ArrayBuffer>} value   not copied */
  bytes(field, value) {
    return this.#tag(field, LENGTH_DELIMITED).#add(varint(value.length)).#add(value);
  }

  /** @param {number} field @param {string} value */
  text(field, value) {
    return this.bytes(field, encoder.encode(value));
  }

  /** @param {number} field @param {Message} value   a finished one */
  message(field, value) {
    this.#tag(field, LENGTH_DELIMITED).#add(varint(value.nBytes));
    for (const piece of value.pieces) {
      this.#add(piece);
    }
    return this;
  }

  /** @param {number} field @param {number} wireType */
  #tag(field, wireType) {
    return this.#add(varint(field * 8 + wireType));
  }

  /** @param {Uint8Array<ArrayBuffer>} piece */
  #add(piece) {
    this.pieces.push(piece);
    this.nBytes += piece.length;
    return this;
  }
}

/** Seven bits a byte, the lowest first; all but the last have the top bit set. @param {number} value */
function varint(value) {
  const bytes = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
