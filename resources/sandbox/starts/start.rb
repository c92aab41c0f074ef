# Loaded before a program that runs without RubyGems, which takes most of the time that Ruby needs to start. It is
# loaded when the program asks for what only it knows: its names, a library that lies in a gem, or the hints in an
# error's text.
autoload :Gem, 'rubygems'
autoload :Monitor, 'monitor'
autoload :MonitorMixin, 'monitor'
autoload :RbConfig, 'rbconfig'
autoload :DidYouMean, 'did_you_mean'
autoload :ErrorHighlight, 'error_highlight'

module Kernel
  alias_method :require_without_gems, :require

  def require(path)
    require_without_gems(path)
  rescue LoadError
    raise unless Object.autoload?(:Gem)

    require_without_gems('rubygems')
    require(path)
  end

  def gem(*arguments)
    Kernel.send(:remove_method, :gem)
    require_without_gems('rubygems')
    gem(*arguments)
  end

  private :require, :require_without_gems, :gem
end

[NameError, KeyError, LoadError, NoMatchingPatternKeyError, TypeError, ArgumentError].each do |kind|
  late = Module.new
  late.define_method(:detailed_message) do |*arguments, **keywords|
    late.send(:remove_method, :detailed_message)
    %w[error_highlight did_you_mean].each do |library|
      require_without_gems(library)
    rescue LoadError
      next
    end
    detailed_message(*arguments, **keywords)
  end
  kind.prepend(late)
end
