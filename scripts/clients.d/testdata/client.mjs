// Asks the node at argv[2] with the client of the package argv[3], and prints what it read.
import { createRequire } from 'node:module'
const require = createRequire(process.env.NODE_PATH + '/')
const { Client, errors } = require(process.argv[3])
// From version 8 on, the members of a body are parameters, and a call returns the body.
const bodies = { msearch: 'searches', bulk: 'operations', index: 'document' }
const likeSeven = (client) => new Proxy(client, {
  get(of, name) {
    if (typeof of[name] !== 'function') return of[name] && likeSeven(of[name])
    return async ({ body, type, ...rest } = {}) => ({ body: await of[name](bodies[name] ? { ...rest, [bodies[name]]: body } : { ...rest, ...body }) })
  },
})
const own = new Client({ node: process.argv[2], maxRetries: 0 })
const client = process.argv[3].startsWith('elasticsearch-') ? likeSeven(own) : own
const index = 'site'
const ids = (hits) => hits.map((h) => h._id).join()
const print = (...values) => console.log(values.join(' '))
const failed = async (request) => {
  try { await request } catch (e) {
    if (!(e instanceof errors.ResponseError)) return `${e}`
    return `${e.statusCode} ${e.body?.error?.type ?? e.body?.found}`
  }
  return 'no error'
}
const hours = { match: { 'Data.content': 'hours' } }
const typed = {
  query: {
    bool: {
      must: [{ multi_match: { query: 'library', fields: ['Data.title', 'Data.content'] } }],
      filter: [{ range: { CreatedAt: { gte: '2024-03-01', lt: '2024-04-01' } } }],
      must_not: [{ term: { 'Name.keyword': { value: 'none' } } }],
    },
  },
  sort: [{ CreatedAt: { order: 'desc' } }], from: 0, size: 2, _source: { includes: ['Name'] },
  aggs: {
    templates: { terms: { field: 'TemplateName.keyword' }, aggs: { first: { min: { field: 'CreatedAt' } } } },
    months: { date_histogram: { field: 'CreatedAt', calendar_interval: 'month' } },
    names: { cardinality: { field: 'Name.keyword' } },
  },
}

print('info', (await client.info()).body.version.number, await client.ping().then((r) => r.body))
let { body } = await client.search({ index, body: { query: hours, _source: ['Name'], aggs: { t: { terms: { field: 'TemplateName.keyword' } } } } })
print('search', body.hits.total.value, ids(body.hits.hits), body.hits.hits[0]._source.Name, body.hits.hits[0]._score === body.hits.max_score, `${body.aggregations.t.buckets[0].key}:${body.aggregations.t.buckets[0].doc_count}`)
body = (await client.search({ index, body: typed })).body
const { templates, months, names } = body.aggregations
print('typed', body.hits.total.value, ids(body.hits.hits), `${templates.buckets[0].key}:${templates.buckets[0].doc_count}:${templates.buckets[0].first.value}`, `${months.buckets[0].key}:${months.buckets[0].doc_count}`, names.value)
body = (await client.search({ index, q: 'TemplateName:News', sort: 'CreatedAt:desc', size: 1 })).body
print('uri', body.hits.total.value, ids(body.hits.hits), body.hits.hits[0].sort)
print('count', (await client.count({ index, body: { query: { match_all: {} } } })).body.count)
print('get', (await client.get({ index, id: 'Content_01' })).body._source.Name)
print('missing', await failed(client.get({ index, id: 'none' })))
print('exists', (await client.exists({ index, id: 'Content_01' })).body, (await client.exists({ index, id: 'none' })).body)
print('exists source', (await client.existsSource({ index, type: '_doc', id: 'Content_01' })).body, (await client.existsSource({ index, type: '_doc', id: 'none' })).body)
print('source', (await client.getSource({ index, id: 'Content_01' })).body.Name)
print('mget', (await client.mget({ index, body: { ids: ['Content_01', 'none'] } })).body.docs.map((d) => d.found).join())
body = (await client.msearch({ index, body: [{}, { query: hours }, { index: 'none' }, {}] })).body
print('msearch', body.responses[0].hits.total.value, body.responses[1].status)
body = (await client.msearch({ body: [{ index }, { query: hours, size: 0 }] })).body
print('node msearch', body.responses[0].hits.total.value)
print('index', (await client.indices.exists({ index })).body, (await client.indices.exists({ index: 'none' })).body)
print('described', (await client.indices.get({ index })).body.site.settings.index.provided_name)
print('mapping', (await client.indices.getMapping({ index })).body.site.mappings.properties.Name.fields.keyword.type)
print('caps', Object.keys((await client.fieldCaps({ index, fields: 'Name*' })).body.fields).join())
print('validate', (await client.indices.validateQuery({ index, body: { query: { nope: {} } } })).body.valid)
print('analyze', (await client.indices.analyze({ index, body: { text: 'Hello, World' } })).body.tokens.map((t) => t.token).join())
print('bad', await failed(client.search({ index, body: { query: { nope: {} } } })))
print('no index', await failed(client.search({ index: 'none' })))
print('no index to describe', await failed(client.indices.get({ index: 'none' })))
print('scroll', await failed(client.search({ index, scroll: '1m' })))
print('next', await failed(client.scroll({ body: { scroll_id: 'x', scroll: '1m' } })))
print('point in time', await failed((client.createPit ?? client.openPointInTime).call(client, { index, keep_alive: '1m' })))
print('template', await failed(client.searchTemplate({ index, body: { id: 'x', params: {} } })))
print('cat', await failed(client.cat.indices()))
print('health', await failed(client.cluster.health()))
print('write', await failed(client.index({ index, id: 'x', body: {} })))
print('bulk', await failed(client.bulk({ index, body: [{ index: {} }, {}] })))
