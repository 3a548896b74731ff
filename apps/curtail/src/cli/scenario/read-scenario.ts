import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { isObject, yamlFaults } from '#contracts';
import { inputLimits, readText } from '../input/source.js';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';
import type { Terminal } from '../terminal/terminal.js';

/** A scenario for the simulated cluster. docs/reference/scenarios.md */
export interface Scenario {
  title: string;
  about: string;
  partition: string;
  /** A queues.yaml with that partition, or properties of YARN's capacity scheduler by name. */
  configuration: Record<string, unknown>;
  /** Running and pending work, passed to the server unchanged. */
  cluster: Record<string, unknown>;
  /** `file:line:column: part.path: `; the place of the nearest field above one that is missing. */
  located(part: 'cluster' | 'configuration', path: string): string;
}

const fields = ['title', 'about', 'partition', 'configuration', 'cluster'];

/** @throws CommandError that names what is missing; the server checks the configuration and the cluster. */
export async function readScenario(file: string, terminal: Terminal): Promise<Scenario> {
  const lineCounter = new LineCounter();
  const text = await readText(file, terminal, inputLimits.configurationBytes);
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const name = printable(file);
  const [fault] = yamlFaults(text, document.errors);
  if (fault) {
    const { line, col } = lineCounter.linePos(fault.offset);
    throw new CommandError(`${name}:${line}:${col}: ${fault.message}`, {
      next: 'correct the YAML there, and play it again',
    });
  }
  const read: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isObject(read)) throw new CommandError(`${name} is not a scenario: it must have ${fields.join(', ')}`);
  const unknown = Object.keys(read).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    throw new CommandError(
      `${name}: ${printable(unknown)} is not a field of a scenario; the fields are ${fields.join(', ')}`,
    );
  }
  const { title, about = '', partition, configuration, cluster } = read;
  if (typeof title !== 'string' || typeof about !== 'string' || typeof partition !== 'string') {
    throw new CommandError(`${name}: title, about and partition must be strings`);
  }
  if (!isObject(configuration)) throw new CommandError(`${name}: configuration is missing: a queues.yaml`);
  if (!isObject(cluster)) throw new CommandError(`${name}: cluster is missing: nodes and applications`);
  const located: Scenario['located'] = (part, path) => {
    const field = path === '' ? part : `${part}.${path}`;
    const offset = offsetOf(document, field);
    const { line, col } = lineCounter.linePos(offset);
    return `${name}:${line}:${col}: ${printable(field)}: `;
  };
  return { title, about, partition: partition.toLowerCase(), configuration, cluster, located };
}

/** Where the field begins, or the nearest above it. @param field such as `cluster.nodes[0].capacity` */
function offsetOf(document: Document, field: string): number {
  const words = [...field.matchAll(/[^.[\]]+|\[(\d+)\]/g)].map(([word, index]) =>
    index === undefined ? word : Number(index),
  );
  for (let length = words.length; length > 0; length--) {
    const node: unknown = document.getIn(words.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
