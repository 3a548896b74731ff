import { SaxesParser } from 'saxes';
import { CurtailError, configurationLimits, cutShort } from '#contracts';
import type { Place } from '#contracts/api';
import { quoted } from '../field.js';
import { schedulerAnswer } from '../other-answers.js';
import type { Problems } from '../problems.js';
import type { Property } from './properties.js';

/** Allowed content of a `<property>`; only name and value are used. */
const partsOfProperty = ['name', 'value', 'final', 'description', 'source', 'tag'];

/**
 * Reads a Hadoop configuration, `<configuration><property><name/><value/></property>…`, into its properties in the order of the text.
 * The parser expands and loads nothing; text that would require it (DOCTYPE, entities, includes) is refused, as is malformed text.
 * Undefined if a problem hides the rest.
 */
export function readHadoopXml(text: string, problems: Problems): Property[] | undefined {
  const { bytes } = configurationLimits;
  const place = (): Place => ({
    line: parser.line,
    column: parser.column + 1,
  });
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  if (text.length > bytes || Buffer.byteLength(text) > bytes) {
    problems.error('', `a configuration has at most ${bytes} bytes; this one is larger`, {});
    return undefined;
  }
  const refuse = (message: string): never => {
    throw new XmlRefused(message, place());
  };
  const document = new HadoopDocument(problems, place, refuse);
  // The parser puts the position in front of its message.
  parser.on('error', ({ message }) =>
    refuse(
      document.isComplete && /only one root|XML declaration/.test(message)
        ? 'the document ends with </configuration>, and more follows; give one file alone, and yarn-site.xml with --yarn-site'
        : `not well-formed XML: ${message.replace(/^\d+:\d+: /, '')}`,
    ),
  );
  parser.on('doctype', () => refuse('a DOCTYPE and custom entities are not supported; remove it'));
  parser.on('opentag', ({ name, attributes }) => document.opened(name, attributes));
  parser.on('closetag', () => document.closed());
  parser.on('text', (written) => document.text(written));
  parser.on('cdata', (written) => document.text(written));
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
    problems.error('', error.message, error.place);
    return undefined;
  }
  return document.properties;
}

class XmlRefused extends CurtailError {
  readonly code = 'xml-refused';
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

type Parts = Record<string, { text: string; place: Place }>;

/** The levels of a document: `configuration`, `property`, and their content. Deeper ones are refused. */
class HadoopDocument {
  readonly properties: Property[] = [];
  #open: string[] = [];
  #parts: Parts = {};
  #start: Place = {};

  /** The root element is closed. */
  isComplete = false;

  constructor(
    private readonly problems: Problems,
    private readonly place: () => Place,
    private readonly refuse: (message: string) => never,
  ) {}

  opened(name: string, attributes: Record<string, string>): void {
    const depth = this.#open.length;
    if (/(^|:)include$/.test(name)) this.refuse('includes are not supported; insert their content here');
    if (depth === 0 && name !== 'configuration') this.refuse(otherRoot(name));
    if (depth === 1 && name !== 'property') {
      this.refuse(`<configuration> holds <property> elements, not <${shown(name)}>`);
    }
    if (depth === 2 && !partsOfProperty.includes(name)) {
      this.refuse(`<property> holds ${partsOfProperty.join(', ')}, not <${shown(name)}>`);
    }
    if (depth > 2) this.refuse(`<${this.#open[2]}> holds text, not <${shown(name)}>`);
    this.#open.push(name);
    if (depth === 1) {
      this.#start = this.place();
      this.#parts = fromAttributes(attributes, this.#start);
    }
    if (depth === 2) {
      if (this.#parts[name] !== undefined && name !== 'tag')
        this.refuse(`<${name}> occurs twice in one <property>`);
      this.#parts[name] = { text: '', place: this.place() };
    }
  }

  text(written: string): void {
    const part = this.#open[2];
    if (part !== undefined) {
      const there = this.#parts[part];
      if (there !== undefined) there.text += written;
    } else if (written.trim() !== '') {
      this.refuse(`${quoted(written.trim())} is outside of name and value`);
    }
  }

  closed(): void {
    this.#open.pop();
    if (this.#open.length === 1) this.#take();
    if (this.#open.length === 0) this.isComplete = true;
  }

  #take(): void {
    const { name, value } = this.#parts;
    const named = name?.text.trim() ?? '';
    if (named === '') {
      this.problems.error('', 'a <property> has a <name>; write one', this.#start);
      return;
    }
    if (value === undefined) {
      this.problems.error(
        named,
        'a <property> has a <value>; write one, or remove the property',
        this.#start,
      );
      return;
    }
    this.properties.push({ name: named, value: value.text.trim(), ...value.place });
  }
}

/** `<property name="…" value="…"/>` */
function fromAttributes(attributes: Record<string, string>, place: Place): Parts {
  return Object.fromEntries(
    ['name', 'value'].flatMap((name) => {
      const text = attributes[name];
      return text === undefined ? [] : [[name, { text, place }] as const];
    }),
  );
}

function otherRoot(name: string): string {
  if (name === 'scheduler') return schedulerAnswer;
  if (name === 'allocations')
    return 'this is an allocation file of the Fair Scheduler, which Curtail does not read; `yarn fs2cs` makes a capacity-scheduler.xml of it';
  return `the root element is <configuration>, not <${shown(name)}>; is this a file of Hadoop?`;
}

const shown = (name: string): string => cutShort(name, 60);
