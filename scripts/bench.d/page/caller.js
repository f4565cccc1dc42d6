// Calls into a worker that answers { method, parameter } with { result } or { error }, one after the other.

/** @typedef {{call: (method: string, parameter: unknown) => Promise<any>}} Caller */

/** @param {URL} url @returns {Promise<Caller>} */
export async function startWorker(url) {
  const worker = new Worker(url, { type: 'module' });
  /** @returns {Promise<any>} */
  const answer = () =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.result));
      worker.onerror = ({ message }) => reject(new Error(`${url}: ${message}`));
    });
  await answer(); // its first word says that it listens
  return {
    call(method, parameter) {
      const answered = answer();
      worker.postMessage({ method, parameter });
      return answered;
    },
  };
}

/** The worker's side. @param {Record<string, (parameter: any) => unknown>} methods */
export function answerCalls(methods) {
  self.addEventListener('message', async ({ data: { method, parameter } }) => {
    try {
      self.postMessage({ result: await methods[method](parameter) });
    } catch (error) {
      self.postMessage({ error: String(error) });
    }
  });
  self.postMessage({ result: 'ready' });
}
