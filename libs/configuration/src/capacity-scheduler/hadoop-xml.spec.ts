import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configurationLimits } from '#contracts';
import { Problems } from '../problems.js';
import { writeHadoopXml } from './hadoop-properties.js';
import { readHadoopXml } from './hadoop-xml.js';

function read(text: string) {
  const problems = new Problems();
  const properties = readHadoopXml(text, problems);
  return { properties, errors: problems.errors() };
}

const property = (inside: string) => `<configuration>\n  <property>${inside}</property>\n</configuration>`;

describe('a configuration of Hadoop', () => {
  it('is a list of names and values, each with the line that its value stands on', () => {
    const { properties, errors } = read(`<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!-- queues -->
<configuration>
  <property>
    <name> a </name>
    <value>1 &amp; 2 &lt; <![CDATA[<3>]]></value>
    <final>true</final>
    <description>of a</description>
  </property>
  <property name="b" value="x"/>
  <property><name>c</name><value/></property>
</configuration>
`);
    expect(errors).toEqual([]);
    expect(properties).toMatchObject([
      { name: 'a', value: '1 & 2 < <3>', line: 7 },
      { name: 'b', value: 'x', line: 11 },
      { name: 'c', value: '', line: 12 },
    ]);
  });

  it.each([
    ['<configuration></property></configuration>', 1, 'not well-formed'],
    ['<configuration>\n<property>\n', 3, 'not well-formed'],
    ['', 1, 'not well-formed'],
    ['partitions: []', 1, 'not well-formed'],
    ['<queues/>', 1, 'the root element is <configuration>, not <queues>'],
    ['<configuration>\n<queue/></configuration>', 2, 'holds <property> elements'],
    [property('<name>a</name><value>1</value><colour/>'), 2, 'not <colour>'],
    [property('<name>a<b/></name>'), 2, '<name> holds text'],
    [property('<name>a</name><name>b</name><value>1</value>'), 2, '<name> occurs twice'],
    [property('<name>a</name>1'), 2, 'is outside of'],
    ['<!DOCTYPE configuration>\n<configuration/>', 1, 'DOCTYPE'],
    [
      '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><configuration>&x;</configuration>',
      1,
      'DOCTYPE',
    ],
    [property('<name>a</name><value>&secret;</value>'), 2, 'not well-formed'],
    [
      '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">\n<xi:include href="more.xml"/></configuration>',
      2,
      'includes',
    ],
  ])('is not %j', (text, line, message) => {
    const { properties, errors } = read(text);
    expect(properties).toBeUndefined();
    expect(errors).toEqual([
      { path: '', message: expect.stringContaining(message), line, column: expect.any(Number) },
    ]);
  });

  it('has a name and a value in each property; all that lack one are reported', () => {
    const { errors } = read(
      '<configuration>\n<property><value>1</value></property>\n<property><name>b</name></property></configuration>',
    );
    expect(errors.map(({ path, line }) => [path, line])).toEqual([
      ['', 2],
      ['b', 3],
    ]);
  });

  it('is refused before it is read where it is huge, and however deep it is', () => {
    expect(
      read(`<configuration>${' '.repeat(configurationLimits.bytes)}</configuration>`).errors[0]?.message,
    ).toContain('at most');
    expect(read('<configuration>'.repeat(100_000)).errors).toHaveLength(1);
  });

  it('is read again from what is written of it', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '>', '&', '"', "'", ']', '\r', '\n', 'ü', '😀', '${'),
    });
    const written = fc.array(fc.record({ name: text, value: text }).filter(({ name }) => name.trim() !== ''));
    fc.assert(
      fc.property(written, (properties) => {
        const again = read(writeHadoopXml(properties));
        expect(again.errors).toEqual([]);
        expect(again.properties?.map(({ name, value }) => ({ name, value }))).toEqual(
          properties.map(({ name, value }) => ({ name: name.trim(), value: value.trim() })),
        );
      }),
    );
  });
});
