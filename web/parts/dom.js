// Elements in few words. Text always goes in as text: nothing here parses HTML.

/** @typedef {string|number|boolean|null|undefined|((event: any) => void)} Attribute */
/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * @param {Element} element
 * @param {Record<string, Attribute>} attributes   `onclick: function` listens; true and false set a bare attribute or none
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value === false || value === null || value === undefined) {
      element.removeAttribute(name);
    } else {
      element.setAttribute(name, String(value));
    }
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...shown(children));
  return element;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {((event: any) => void)|null} [onclick]
 */
export function smallButton(id, label, onclick = null) {
  return el('button', { type: 'button', class: 'button button--small', id, onclick }, label);
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  element.append(...shown(children));
  return element;
}

/**
 * The element of the page with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`The page has no element "${id}".`);
  }
  return element;
}

/**
 * @param {Child[]} children
 * @returns {(Node|string)[]}
 */
function shown(children) {
  /** @type {(Node|string)[]} */
  const nodes = [];
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      nodes.push(typeof child === 'number' ? String(child) : child);
    }
  }
  return nodes;
}
