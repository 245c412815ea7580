// A page of Elastic's Search UI, whose connector searches a node.
import React from 'react'
import { createRoot } from 'react-dom/client'
import ElasticsearchAPIConnector from '@elastic/search-ui-elasticsearch-connector'
import { ErrorBoundary, Facet, Paging, PagingInfo, Results, SearchBox, SearchProvider, Sorting, WithSearch } from '@elastic/react-search-ui'

const node = new URLSearchParams(location.search).get('node')
const connector = new ElasticsearchAPIConnector({ host: node + '/', index: 'shop' })
const config = {
  apiConnector: connector,
  alwaysSearchOnInitialLoad: true,
  initialState: { resultsPerPage: 5 },
  searchQuery: {
    search_fields: { Name: { weight: 3 }, 'Data.content': {} },
    result_fields: { Name: { snippet: {} }, TemplateName: { raw: {} }, Data: { raw: {} } },
    disjunctiveFacets: ['TemplateName.keyword'],
    facets: {
      'TemplateName.keyword': { type: 'value', size: 10 },
      'Data.tags.keyword': { type: 'value', size: 10, sort: 'count' },
      'Data.price': { type: 'range', ranges: [{ from: 0, to: 50, name: 'cheap' }, { from: 50, name: 'dear' }] },
      CreatedAt: { type: 'range', ranges: [{ from: '2023-01-01', name: 'from 2023' }, { to: '2023-01-01', name: 'before' }] },
    },
  },
  autocompleteQuery: {
    results: { resultsPerPage: 3, search_fields: { Name: { weight: 3 } }, result_fields: { Name: { snippet: {} } } },
    suggestions: { types: { names: { queryType: 'results', fields: ['Name'] } }, size: 4 },
  },
}

function Page() {
  return (
    <SearchProvider config={config}>
      <WithSearch mapContextToProps={({ error }) => ({ error })}>
        {({ error }) => (
          <ErrorBoundary>
            <p id="error">{error}</p>
            <SearchBox autocompleteMinimumCharacters={3} autocompleteResults={{ titleField: 'Name', linkTarget: '_self' }} autocompleteSuggestions={false} searchAsYouType debounceLength={50} />
            <Sorting sortOptions={[{ name: 'relevance', value: [] }, { name: 'price', value: [{ field: 'Data.price', direction: 'desc' }] }]} />
            <div id="kind"><Facet field="TemplateName.keyword" label="Kind" filterType="any" /></div>
            <div id="tags"><Facet field="Data.tags.keyword" label="Tags" /></div>
            <div id="price"><Facet field="Data.price" label="Price" /></div>
            <div id="created"><Facet field="CreatedAt" label="Created" /></div>
            <div id="stats"><PagingInfo /></div>
            <div id="hits"><Results titleField="Name" resultView={({ result }) => (
              <li><b className="title" dangerouslySetInnerHTML={{ __html: result.Name.snippet ?? result.Name.raw }} /><i className="price">{result.Data.raw.price}</i></li>
            )} /></div>
            <div id="pages"><Paging /></div>
          </ErrorBoundary>
        )}
      </WithSearch>
    </SearchProvider>
  )
}

createRoot(document.querySelector('#page')).render(<Page />)
