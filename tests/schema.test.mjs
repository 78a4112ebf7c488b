import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import Ajv from 'ajv/dist/2020.js'

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')
const rows = (file) => JSON.parse(read(`fixtures/${file}.json`))
const schema = JSON.parse(read('../src/config/sieve.schema.json'))
const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema)

/** A configuration as an editor sees it: comments and trailing commas gone. */
function parsed(text) {
  const token = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*[\]}])/g
  return JSON.parse(text.replace(token, (found) => (found.startsWith('"') ? found : '')))
}

const refused = () => validate.errors.map((error) => `${error.instancePath} ${error.message}`).join('\n')

test('every configuration that the engine accepts is valid', () => {
  const worlds = Object.entries(rows('worlds')).filter(([, world]) => world.config ?? world.configText)
  for (const [name, world] of worlds) {
    assert.ok(validate(world.config ?? parsed(world.configText)), `${name}: ${validate.errors && refused()}`)
  }
  assert.ok(worlds.length > 10, 'the corpus has configurations')
})

test("the Worker's own configuration is valid", () => {
  assert.ok(validate(parsed(read('../worker/sieve.jsonc'))), validate.errors && refused())
})

test('a refusal that is a matter of shape is one of the schema too', () => {
  const refusals = rows('refuse').filter((row) => 'config' in row || 'configText' in row)
  for (const row of refusals) {
    assert.ok(['refuses', 'accepts'].includes(row.schema), `${row.name}: does the schema know?`)
    // Text that is no JSON never reaches a schema.
    if ('configText' in row) {
      assert.equal(row.schema, 'accepts', row.name)
      continue
    }
    assert.equal(validate(row.config), row.schema === 'accepts', row.name)
  }
  assert.ok(refusals.length > 30, 'the corpus has refusals')
})

test('an editor has words for every member', () => {
  const silent = []
  const visit = (at, path) => {
    for (const [name, member] of Object.entries(at.properties ?? {})) {
      const target = member.$ref ? schema.$defs[member.$ref.split('/').pop()] : member
      if (!(member.description ?? target.description)) silent.push(`${path}/${name}`)
    }
    for (const [name, inner] of Object.entries(at.$defs ?? {})) visit(inner, `${path}/${name}`)
  }
  visit(schema, '')
  assert.deepEqual(silent, [])
})
