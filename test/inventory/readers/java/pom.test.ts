import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPom, readPom } from '../../../../src/inventory/readers/java/pom.ts';
import { parseXml } from '../../../../src/inventory/xml.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

const dependency = (group: string, artifact: string, more = ''): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${more}</dependency>`;
const version = (text: string): string => `<version>${text}</version>`;
const property = (name: string): string => ['$', `{${name}}`].join('');

// https://maven.apache.org/pom.html
const POM = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.example</groupId><artifactId>parent</artifactId>${version('3.1')}</parent>
  <artifactId>shop</artifactId>
  <properties><log4j>\${line}.1</log4j><line>2.14</line><loop>\${loop}</loop></properties>
  <modules><module>web</module></modules>
  <dependencyManagement><dependencies>
    ${dependency('org.springframework', 'spring-beans', version('5.0.5.RELEASE'))}
    ${dependency('org.example', 'list', `${version('1.0')}<type>pom</type><scope>import</scope>`)}
  </dependencies></dependencyManagement>
  <dependencies>
    ${dependency('org.apache.logging.log4j', 'log4j-core', version(property('log4j')))}
    ${dependency('org.springframework', 'spring-beans')}
    ${dependency(property('project.groupId'), 'core', version(property('project.version')))}
    ${dependency('org.example', 'managed')}
    ${dependency('org.example', 'looped', version(property('loop')))}
    ${dependency('org.example', 'ranged', version('[1.0,2.0)'))}
    ${dependency('org.example', 'jar', `${version('1')}<scope>system</scope>`)}
    ${dependency('junit', 'junit', `${version(' 4.12 ')}<scope>test</scope>`)}
  </dependencies>
  <build><plugins><plugin><artifactId>maven-jar-plugin</artifactId></plugin></plugins></build>
  <profiles><profile><id>extra</id><dependencies>
    ${dependency('com.google.guava', 'guava', version('29.0-jre'))}
  </dependencies></profile></profiles>
</project>`;

test('versions come from the file itself; what others decide is named', () => {
  const project = parseXml(POM);
  assert.ok(isPom(project));
  const inventory = readPom(project);
  assert.deepEqual(packagesOf(inventory), [
    'maven org.apache.logging.log4j:log4j-core@2.14.1*',
    'maven org.springframework:spring-beans@5.0.5.RELEASE*',
    'maven org.example:core@3.1*',
    'maven junit:junit@4.12*',
    'maven com.google.guava:guava@29.0-jre*',
  ]);
  assert.deepEqual(notesOf(inventory).slice(0, 5), [
    'a version that a parent or an imported list decides: 1',
    'a version with a property that the file does not set: 1',
    'a range of versions: 1',
    'a local file or folder: 1',
    'a plugin of the build: 1',
  ]);
  assert.deepEqual(
    inventory.notes.slice(0, 5).map(({ isOpen }) => isOpen),
    [true, true, true, true, false],
  );
  assert.deepEqual(
    inventory.packages.map(({ places }) => places.join()),
    ['', '', '', 'scope test', 'profile extra'],
  );
});

test('properties that multiply end with a note', () => {
  const doubled = Array.from({ length: 30 }, (_, i) => `<p${i}>\${p${i + 1}}\${p${i + 1}}</p${i}>`).join('');
  const pom = `<project><artifactId>a</artifactId><properties>${doubled}</properties><dependencies>${dependency('a', 'b', version(property('p0')))}</dependencies></project>`;
  assert.match(notesOf(readPom(parseXml(pom)))[0], /a property that the file does not set: 1/);
});
