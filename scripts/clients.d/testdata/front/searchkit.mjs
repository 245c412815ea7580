// A page of Searchkit: InstantSearch whose client turns searches into _msearch of a node.
import instantsearch from 'instantsearch.js'
import { configure, currentRefinements, hits, numericMenu, pagination, rangeInput, refinementList, searchBox, sortBy, stats } from 'instantsearch.js/es/widgets'
import Client from '@searchkit/instantsearch-client'
import Searchkit from 'searchkit'

const node = new URLSearchParams(location.search).get('node')
const searchClient = Client(new Searchkit({
  connection: { host: node },
  search_settings: {
    search_attributes: [{ field: 'Data.title', weight: 3 }, 'Data.content'],
    result_attributes: ['Name', 'TemplateName', 'CreatedAt', 'Data'],
    highlight_attributes: ['Data.title'],
    snippet_attributes: ['Data.content:60'],
    facet_attributes: [
      { attribute: 'kind', field: 'TemplateName.keyword', type: 'string' },
      { attribute: 'tags', field: 'Data.tags.keyword', type: 'string' },
      { attribute: 'price', field: 'Data.price', type: 'numeric' },
    ],
    filter_attributes: [{ attribute: 'created', field: 'CreatedAt', type: 'date' }],
    sorting: {
      default: { field: '_score', order: 'desc' },
      _price_desc: { field: 'Data.price', order: 'desc' },
    },
  },
}))

const search = instantsearch({ indexName: 'shop', searchClient, future: { preserveSharedStateOnUnmount: true } })
search.addWidgets([
  configure({ hitsPerPage: 5 }),
  searchBox({ container: '#box' }),
  stats({ container: '#stats' }),
  currentRefinements({ container: '#current' }),
  refinementList({ container: '#kind', attribute: 'kind', operator: 'or' }),
  refinementList({ container: '#tags', attribute: 'tags', operator: 'and', searchable: true }),
  rangeInput({ container: '#price', attribute: 'price' }),
  numericMenu({ container: '#created', attribute: 'created', items: [{ label: 'All' }, { label: 'from 2023', start: Date.parse('2023-01-01') }] }),
  sortBy({ container: '#sort', items: [{ label: 'relevance', value: 'shop' }, { label: 'price', value: 'shop_price_desc' }] }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components }) => html`<b class="title">${components.Highlight({ attribute: 'Data.title', hit })}</b>
        <p class="snippet">${components.Snippet({ attribute: 'Data.content', hit })}</p><i class="price">${hit.Data.price}</i>`,
    },
  }),
  pagination({ container: '#pages' }),
])
search.on('error', ({ error }) => { document.querySelector('#error').textContent = error.message })
search.start()
