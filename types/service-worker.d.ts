// What a service worker finds in its scope; TypeScript's own library for it cannot be joined with the page's.

/** What a build is made of. Digests are as in an `integrity` attribute: 'sha256-…', several with spaces between. */
export interface Build {
  /** Changes with every byte of what is deployed. */
  id: string;
  /** To be kept at once: digest by path. */
  files: Record<string, string>;
  /** To be kept once used: digests by path, of the file and of what it decodes to. */
  splits: Record<string, string>;
}

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

declare global {
  interface FetchEvent extends ExtendableEvent {
    request: Request;
    respondWith(answer: Promise<Response>): void;
  }
}

interface WorkerEvents {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  fetch: FetchEvent;
  message: ExtendableEvent & MessageEvent;
}

export interface WorkerScope {
  BUILD: Build;
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<{ url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof WorkerEvents>(type: K, hear: (event: WorkerEvents[K]) => void): void;
}
