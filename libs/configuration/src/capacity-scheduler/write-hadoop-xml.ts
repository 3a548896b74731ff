import type { Property } from './property.js';

/** Properties as a Hadoop configuration; `readHadoopXml` returns the same names and values. */
export function writeHadoopXml(properties: Iterable<Pick<Property, 'name' | 'value'>>): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<configuration>'];
  for (const { name, value } of properties) {
    lines.push(
      '  <property>',
      `    <name>${escaped(name)}</name>`,
      `    <value>${escaped(value)}</value>`,
      '  </property>',
    );
  }
  return [...lines, '</configuration>', ''].join('\n');
}

/** An unescaped carriage return would be read as a newline. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
