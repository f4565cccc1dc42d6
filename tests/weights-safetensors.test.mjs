// Safetensors files: what goes out comes in again, bit for bit; every fault is refused and named.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { readHeader, readValues, writeSafetensors } from '../web/safetensors.js';
import { integerOf, joined, networkOf, randomOf, widthsOf } from './lib/networks.mjs';

/** @typedef {import('../web/tensors.js').About} About */
/** @typedef {import('../web/types.js').Weights} Weights */

const SHAPE = [784, 20, 15, 15, 12, 11, 10];

/** @param {Uint8Array<ArrayBuffer>} bytes */
function fileOf(bytes) {
  return new Blob([bytes]);
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function read(bytes) {
  const header = await readHeader(fileOf(bytes));
  return { ...header, values: await readValues(fileOf(bytes), header) };
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function parts(bytes) {
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  return {
    length,
    json: JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))),
    body: bytes.subarray(8 + length),
  };
}

/**
 * A file of these parts; its header's length is right unless another is given.
 * @param {{json: any, body: Uint8Array<ArrayBuffer>, length?: number|bigint}} parts
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function assembled({ json, body, length }) {
  const text = new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json));
  const head = new Uint8Array(8);
  new DataView(head.buffer).setBigUint64(0, BigInt(length ?? text.length), true);
  return joined([head, text, body]);
}

/** @param {number[]} [widths] */
async function good(widths = SHAPE) {
  const { weights, about } = networkOf(widths, 3);
  return joined(writeSafetensors(weights, about));
}

test('a file has the form that the format prescribes', async () => {
  const { weights, about } = networkOf(SHAPE, 3);
  const bytes = await joined(writeSafetensors(weights, about));
  const { length, json, body } = parts(bytes);
  assert.equal(length % 8, 0);
  assert.equal(bytes[8], '{'.charCodeAt(0));
  assert.equal(createHash('sha256').update(body).digest('hex'), about.weightsSHA256);
  const { __metadata__: metadata, ...tensors } = json;
  Object.values(metadata).forEach((value) => assert.equal(typeof value, 'string'));
  assert.deepEqual(JSON.parse(metadata.widths), SHAPE);
  assert.deepEqual(JSON.parse(metadata.config), about.config);
  const names = [0, 1, 2, 3, 4, 5].flatMap((layer) => [`layer_${layer}.weight`, `layer_${layer}.bias`]);
  assert.deepEqual(Object.keys(tensors), names);
  assert.deepEqual(tensors['layer_2.weight'].shape, [15, 15]);
  assert.deepEqual(tensors['layer_4.bias'], {
    dtype: 'F32',
    shape: [11],
    data_offsets: [tensors['layer_4.weight'].data_offsets[1], tensors['layer_5.weight'].data_offsets[0]],
  });
  const [begin, end] = tensors['layer_1.weight'].data_offsets;
  const first = 785 * 20;
  assert.deepEqual(new Float32Array(body.slice(begin, end).buffer), weights.values.slice(first, first + 15 * 20));
});

test('networks of any shape come back bit for bit, with all that is said of them', async (t) => {
  const next = randomOf(t, 11);
  for (let trial = 0; trial < 40; trial++) {
    const { weights, about } = networkOf(widthsOf(next, 64), integerOf(next, 0, 1e6));
    const { values, about: said } = await read(await joined(writeSafetensors(weights, about)));
    assert.deepEqual(values, weights.values);
    assert.deepEqual(said, about);
  }
});

test('tensors may stand in any order, as other programs write them', async (t) => {
  const next = randomOf(t, 12);
  const { weights, about } = networkOf(SHAPE, 3);
  const { json, body } = parts(await joined(writeSafetensors(weights, about)));
  const { __metadata__, ...tensors } = json;
  for (let trial = 0; trial < 10; trial++) {
    const names = Object.keys(tensors).map((name) => ({ name, key: next() })).sort((a, b) => a.key - b.key);
    /** @type {Record<string, any>} */
    const moved = {};
    const pieces = [];
    let at = 0;
    for (const { name } of names) {
      const { data_offsets: [begin, end], ...rest } = tensors[name];
      moved[name] = { ...rest, data_offsets: [at, at + end - begin] };
      pieces.push(body.subarray(begin, end));
      at += end - begin;
    }
    const file = await assembled({ json: { ...moved, __metadata__ }, body: await joined(pieces) });
    assert.deepEqual((await read(file)).values, weights.values);
  }
});

/** @param {any} tensor @param {number} bytes */
function move(tensor, bytes) {
  tensor.data_offsets = tensor.data_offsets.map((/** @type {number} */ at) => at + bytes);
}

/**
 * Files that are wrong in one thing each: what is changed, then the fault that must be told.
 * @type {[what: string, spoil: (json: any) => void, subject: string, expected: RegExp, found: RegExp][]}
 */
const WRONG = [
  ['a dtype', (json) => {
    json['layer_2.weight'].dtype = 'F16';
  }, 'layer_2.weight', /dtype F32/, /F16/],
  ['a shape the other way round', (json) => {
    json['layer_1.weight'].shape.reverse();
  }, 'layer_1.weight', /shape \[15,20\]/, /\[20,15\]/],
  ['a shape of too many dimensions', (json) => {
    json['layer_5.bias'].shape.push(1);
  }, 'layer_5.bias', /shape \[10\]/, /\[10,1\]/],
  ['no shape', (json) => {
    delete json['layer_5.bias'].shape;
  }, 'layer_5.bias', /shape \[10\]/, /nothing/],
  ['a missing tensor', (json) => {
    delete json['layer_3.bias'];
  }, 'layer_3.bias', /a tensor/, /nothing/],
  ['a tensor too many', (json) => {
    json['layer_6.bias'] = json['layer_5.bias'];
  }, 'layer_6.bias', /no tensor/, /one/],
  ['a tensor that is none', (json) => {
    json['layer_0.bias'] = 7;
  }, 'layer_0.bias', /a tensor/, /7/],
  ['too few bytes', (json) => {
    json['layer_4.bias'].data_offsets[1] -= 4;
  }, 'layer_4.bias', /44 bytes/, /40/],
  ['two tensors at one place', (json) => {
    json['layer_2.bias'].data_offsets = [0, 60];
  }, 'layer_0.weight|layer_2.bias', /from byte/, /byte/],
  ['a gap', (json) => {
    Object.keys(json).filter((name) => /[345]/.test(name)).forEach((name) => move(json[name], 4));
  }, 'layer_3.weight', /from byte/, /byte/],
  ['an offset that is not whole', (json) => {
    json['layer_0.weight'].data_offsets[0] = 0.5;
  }, 'layer_0.weight', /two data_offsets/, /0\.5/],
  ['a negative offset', (json) => {
    move(json['layer_0.weight'], -4);
  }, 'layer_0.weight', /two data_offsets/, /-4/],
  ['offsets that end before they begin', (json) => {
    json['layer_0.bias'].data_offsets.reverse();
  }, 'layer_0.bias', /80 bytes/, /-80/],
  ['offsets past the end', (json) => {
    move(json['layer_5.bias'], 2 ** 40);
  }, 'layer_5.bias', /from byte/, /byte/],
  ['no metadata', (json) => {
    delete json.__metadata__;
  }, '__metadata__', /object/, /nothing/],
  ['another schema', (json) => {
    json.__metadata__.schema = 'other';
  }, 'schema', /mnist-browser-lab/, /other/],
  ['widths that are not JSON', (json) => {
    json.__metadata__.widths = '[784,';
  }, 'widths', /7 whole numbers/, /784/],
  ['six widths', (json) => {
    json.__metadata__.widths = '[784,20,15,15,12,10]';
  }, 'widths', /7 whole numbers/, /784/],
  ['a config of other widths', (json) => {
    json.__metadata__.config = json.__metadata__.config.replace('784,20', '784,21');
  }, 'config.widths', /784,20/, /784,21/],
  ['a config that is a number', (json) => {
    json.__metadata__.config = '5';
  }, 'config', /object/, /5/],
  ['metadata that is no string', (json) => {
    json.__metadata__.epoch = 7;
  }, 'epoch', /epochs/, /7/],
  ['a hash that is none', (json) => {
    json.__metadata__.orderHash = 'xyz';
  }, 'orderHash', /8 hex/, /xyz/],
  ['no hash', (json) => {
    delete json.__metadata__.weightsSHA256;
  }, 'weightsSHA256', /64 hex/, /nothing/],
];

for (const [what, spoil, subject, expected, found] of WRONG) {
  test(`refused: ${what}`, async () => {
    const { json, body } = parts(await good());
    spoil(json);
    await assert.rejects(read(await assembled({ json, body })), (/** @type {any} */ fault) => {
      assert.equal(fault.code, 'WRONG_WEIGHTS');
      assert.match(fault.subject, new RegExp(`^(${subject})$`));
      assert.match(fault.expected, expected);
      assert.match(fault.found, found);
      assert.ok(fault.message.endsWith(` ${fault.subject}: expected ${fault.expected}, found ${fault.found}.`));
      return true;
    });
  });
}

test('refused: files that are cut off, too long, or something else', async () => {
  const bytes = await good();
  const { json, body } = parts(bytes);
  const text = new TextEncoder().encode('{"schemaVersion":1,"runs":[]}');
  /** @type {[Uint8Array<ArrayBuffer>, string][]} */
  const cases = [
    [new Uint8Array(0), 'file'],
    [bytes.slice(0, 7), 'file'],
    [bytes.slice(0, 100), 'header'],
    [bytes.slice(0, -1), 'file'],
    [await joined([bytes, new Uint8Array(1)]), 'file'],
    [text, 'header length'],
    [await assembled({ json, body, length: 2n ** 63n }), 'header length'],
    [await assembled({ json: '', body }), 'header'],
    [await assembled({ json: '[]', body }), 'header'],
    [await assembled({ json: '{"a":', body }), 'header'],
    [await assembled({ json: 'null', body }), 'header'],
    [await joined([Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe)]), 'header'],
  ];
  for (const [file, subject] of cases) {
    await assert.rejects(read(file), { code: 'WRONG_WEIGHTS', subject });
  }
});

test('a header that is changed anywhere is refused in words, or says the same', async (t) => {
  const next = randomOf(t, 13);
  const bytes = await good([784, 6, 5, 4, 3, 2, 10]);
  const { length } = parts(bytes);
  const { values } = await read(bytes);
  let nRefused = 0;
  for (let trial = 0; trial < 600; trial++) {
    const spoilt = bytes.slice();
    for (let n = integerOf(next, 1, 3); n > 0; n--) {
      spoilt[integerOf(next, 0, 7 + length)] = integerOf(next, 0, 255);
    }
    try {
      const header = await readHeader(fileOf(spoilt));
      assert.equal(header.tensors.length, 12);
      assert.deepEqual(await readValues(fileOf(spoilt), header), values);
    } catch (error) {
      const fault = /** @type {any} */ (error);
      assert.equal(fault.code, 'WRONG_WEIGHTS', fault.stack);
      assert.match(fault.message, /: expected .+, found .+\.$/s);
      nRefused++;
    }
  }
  assert.ok(nRefused > 300, `only ${nRefused} were refused`);
});
