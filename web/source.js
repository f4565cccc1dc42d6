// Where files come from: for the page the network. Node has one of its own (scripts/lib).

import { LabError } from './fault.js';

/** @typedef {{fresh: boolean, signal?: AbortSignal}} SourceOptions   fresh: past every cache */

/**
 * Opens a file as a stream of bytes.
 * @typedef {(name: string, options: SourceOptions) => Promise<ReadableStream<Uint8Array>>} Source
 */

/**
 * Files of a folder on the web.
 * @param {string} url   of the folder, ending in a slash
 * @returns {Source}
 */
export function httpSource(url) {
  return async (name, { fresh, signal }) => {
    const response = await fetchFile(name, url, { cache: fresh ? 'reload' : 'default', signal });
    if (response.body === null) {
      throw noAnswer(name);
    }
    return response.body;
  };
}

/**
 * @param {string} name
 * @param {string} url   of its folder, ending in a slash, or of a file in it
 * @param {RequestInit} [options]
 * @throws {LabError} NETWORK, HTTP_STATUS
 */
export async function fetchFile(name, url, options) {
  const response = await answerOf(name, fetch(new URL(name, url), options));
  if (!response.ok) {
    throw new LabError({
      code: 'HTTP_STATUS',
      message: `${name} could not be fetched: the server answered ${response.status} ${response.statusText}.`,
      subject: name,
      expected: '200',
      found: String(response.status),
    });
  }
  return response;
}

/**
 * Reads a whole stream as text.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {string} name
 */
export async function readText(stream, name) {
  return answerOf(name, new Response(stream).text());
}

/**
 * Passes on what the network gives; its own errors say too little, so they are replaced.
 * @template T
 * @param {string} name
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
export async function answerOf(name, answer) {
  try {
    return await answer;
  } catch (error) {
    // An abort and a fault of our own stand; what is left is the network (fetch reports it as a TypeError).
    if (error instanceof TypeError) {
      throw noAnswer(name);
    }
    throw error;
  }
}

/** @param {string} name */
function noAnswer(name) {
  const message = `${name} could not be fetched: the connection failed. Check that you are online, then try again.`;
  return new LabError({ code: 'NETWORK', message, subject: name });
}
