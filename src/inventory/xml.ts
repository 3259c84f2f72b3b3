// Reads the XML of projects and SBOMs. The parser knows no entities but XML's own: nine lines of them could
// stand for billions of characters.

import {
  XmlElement as ParsedElement,
  parseXml as parse,
  XmlCdata,
  XmlError,
  XmlText,
} from '@rgrove/parse-xml';
import { clip, Refusal } from './refusal.ts';

const MAX_DEPTH = 100;

export interface XmlElement {
  /** Without its namespace's prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Of its own, without that of the elements inside. */
  readonly text: string;
}

/** The element of the whole document. Throws a Refusal with the place of what is not read. */
export function parseXml(text: string): XmlElement {
  const root = parsed(text);
  if (root === null) throw refusal('there is no element');
  return elementOf(root, 1);
}

function parsed(text: string): ParsedElement | null {
  try {
    return parse(text, { preserveCdata: true }).root;
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(); // the parser needs a stack as deep as elements nest
    if (!(error instanceof XmlError)) throw error;
    const [reason] = error.message.split(' (line ', 1);
    throw refusal(`${clip(reason)} at line ${error.line}, column ${error.column}`);
  }
}

function elementOf({ name, attributes, children }: ParsedElement, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw tooDeep();
  const texts = children.filter((child) => child instanceof XmlText || child instanceof XmlCdata);
  const elements = children.filter((child) => child instanceof ParsedElement);
  return {
    name: name.slice(name.indexOf(':') + 1),
    attributes: new Map(Object.entries(attributes)),
    children: elements.map((child) => elementOf(child, depth + 1)),
    text: texts.map((child) => child.text).join(''),
  };
}

function tooDeep(): Refusal {
  return refusal(`elements are nested deeper than ${MAX_DEPTH}`);
}

function refusal(problem: string): Refusal {
  return new Refusal(`This looks like XML, but is not read: ${problem}.`);
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first, or undefined. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The text of the first child of that name, without the space around it; undefined without one. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}
