import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  looksLikeGradleLockfile,
  readGradleLockfile,
} from '../../../../src/inventory/readers/java/gradle-lockfile.ts';
import { packagesOf } from '../../../support/console/inventory-summary.ts';

// https://docs.gradle.org/current/userguide/dependency_locking.html
const LOCK = `# This is a Gradle generated file for dependency locking.
# Manual edits can break the build and are not advised.
# This file is expected to be part of source control.
org.apache.logging.log4j:log4j-core:2.14.1=compileClasspath,runtimeClasspath
org.springframework:spring-beans:5.0.5.RELEASE=compileClasspath
empty=annotationProcessor
`;

test('coordinates are read with their configurations', () => {
  assert.ok(looksLikeGradleLockfile(LOCK));
  const inventory = readGradleLockfile(LOCK);
  assert.deepEqual(packagesOf(inventory), [
    'maven org.apache.logging.log4j:log4j-core@2.14.1?',
    'maven org.springframework:spring-beans@5.0.5.RELEASE?',
  ]);
  assert.deepEqual(inventory.packages[0].places, ['compileClasspath,runtimeClasspath']);
});

test('a line that is no coordinate is refused with the place', () => {
  assert.throws(() => readGradleLockfile(`${LOCK}org.example:a`), {
    name: 'Refusal',
    message: /line 7, column 1 is not group:artifact:version/,
  });
});
