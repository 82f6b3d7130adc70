-- Does what a person does in Neovim, and writes down what they see: one line of JSON each.

local function say(what, seen)
  io.stdout:write(vim.fn.json_encode({ what, seen }) .. '\n')
end

local function wait_for(what, holds)
  if not vim.wait(60000, holds, 20) then
    say('waited in vain', what)
    vim.cmd('cquit')
  end
end

local function drift()
  return vim.tbl_map(function(each)
    return { each.lnum + 1, each.col + 1, each.code, (each.message:gsub('\n.*', '')) }
  end, vim.diagnostic.get(0))
end

local function place()
  return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.') }
end

local function hover()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

-- Open a file.
vim.cmd('edit app.py')
wait_for('drift', function() return #drift() > 0 end)
say('opened', drift())

-- Hover.
vim.fn.cursor(9, 5)
vim.lsp.buf.hover()
wait_for('a hover', hover)
local window = hover()
say('hover', vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
vim.api.nvim_win_close(window, true)

-- Go to the contract, and back.
vim.lsp.buf.definition()
wait_for('the contract', function() return place()[1] == 'openapi.yaml' end)
say('definition', place())
vim.lsp.buf.definition()
wait_for('the code', function() return place()[1] == 'app.py' end)
say('definition', place())

-- Type without saving: nothing is scanned, and nothing is offered that would not fit.
wait_for('drift', function() return #drift() > 0 end)
vim.fn.setline(9, '    total: list[str]')
say('typed', drift())
vim.cmd('undo')
vim.cmd('write')

-- Take the first quick fix of those offered, and save.
wait_for('drift', function() return #drift() > 0 end)
vim.fn.cursor(9, 5)
local offered
vim.ui.select = function(items, options, choose)
  offered = vim.tbl_map(options.format_item, items)
  choose(items[1], 1)
end
vim.lsp.buf.code_action()
wait_for('a quick fix', function() return offered and vim.bo.modified end)
say('offered', offered)
say('mended', vim.fn.getline(9))
vim.cmd('write')
wait_for('no drift', function() return #drift() == 0 end)

-- Change the contract: what is shown of the code changes.
vim.cmd('edit openapi.yaml')
vim.cmd('silent %s/total: { type: number }/total: { type: boolean }/')
vim.cmd('write')
vim.cmd('buffer app.py')
wait_for('drift', function() return #drift() > 0 end)
say('contract changed', drift())
vim.cmd('qall!')
