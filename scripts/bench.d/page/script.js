/** Loads a classic script, as a script element in a page would. @param {string} url @returns {Promise<void>} */
export function loadScript(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = url;
    element.onload = () => resolve();
    element.onerror = () => reject(new Error(`${url} cannot be loaded`));
    document.head.append(element);
  });
}
