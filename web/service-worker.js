// Keeps the lab at hand without a network: after the first visit the page, its engine and the data that were fetched
// come from caches. It holds no rule of the protocol; what comes out of a cache is verified by C like anything else.
//
// Two caches, named after what is in them, so that one never holds parts of two builds:
//
//   <prefix> build <id>       the page, its modules and styles, the preview, the manifest, and the engines that this
//                             browser can run: fetched when this service worker is installed, each file proven by
//                             its SHA-256, all of them or none
//   <prefix> dataset <digest> the splits: each once the page has fetched it, if it is the manifest's (digest is the
//                             manifest's own, so a new build keeps the splits that have not changed)
//
// A page is served by the build that it started with. A new build is installed beside it and waits until the visitor
// agrees to reload (the page then sends 'take over'), or until no page is open any more; the old caches go then.
// A request that asks to pass the caches (`cache: 'reload'`) goes to the network, and what it brings is kept.
//
// Hosts that cannot send the headers of cross-origin isolation (GitHub Pages) get them here: they are added to what
// is kept, so that threads work from the second visit on.
