"""JAX-RS applications that code mounts: servlets in servers, addresses of HTTP servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package tram;
import jakarta.ws.rs.*;
import java.net.URI;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.*;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;
"""
RESOURCES = """
@Path("/trams") class TramResource { @GET public String list() { return ""; } }
@Path("/stops") class StopResource { @GET public String list() { return ""; } }
"""


def routes(folder: Path, main: str, **files: str) -> list[str]:
    source = f"{HEAD}{RESOURCES}\npublic class Main {{ {main} }}"
    return Project(
        folder, {"pom.xml": "<project/>", "src/main/java/tram/Main.java": source} | files
    ).routes()


BOTH = ["GET /rest/stops", "GET /rest/trams"]
JETTY = """
    public static void main(String[] args) throws Exception {{
      ServletContextHandler context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
      {}
    }}
"""


@pytest.mark.parametrize(
    "body",
    [
        "context.addServlet(new ServletHolder(new ServletContainer(new ResourceConfig())),"
        ' "/rest/*");',
        'ServletHolder holder = context.addServlet(ServletContainer.class, "/rest/*");',
        'context.addServlet("org.glassfish.jersey.servlet.ServletContainer", "/rest/*");',
        'context.setContextPath("/rest");'
        ' context.addServlet(new ServletHolder(new ServletContainer()), "/*");',
        "ServletContainer servlet = new ServletContainer(); ServletHolder held = "
        'new ServletHolder("jersey", servlet); context.addServlet(held, "/rest/*");',
    ],
)
def test_a_servlet_in_jetty(tmp_path: Path, body: str) -> None:
    assert routes(tmp_path, JETTY.format(body)) == BOTH


def test_what_a_configuration_registers_is_below_its_own_servlet(tmp_path: Path) -> None:
    body = """
        ResourceConfig config = new ResourceConfig();
        config.register(new TramResource());
        ResourceConfig other = new ResourceConfig(StopResource.class);
        context.addServlet(new ServletHolder(new ServletContainer(config)), "/rest/*");
        context.addServlet(new ServletHolder(new ServletContainer(other)), "/admin/*");
    """
    assert routes(tmp_path, JETTY.format(body)) == ["GET /admin/stops", "GET /rest/trams"]


def test_which_of_several_applications_takes_packages_that_are_not_constant(
    tmp_path: Path,
) -> None:
    body = """
        ResourceConfig config = new ResourceConfig();
        config.packages(packages());
        ResourceConfig other = new ResourceConfig();
        other.packages({});
        context.addServlet(new ServletHolder(new ServletContainer(config)), "/rest/*");
        context.addServlet(new ServletHolder(new ServletContainer(other)), "/admin/*");
    """
    reason = "which of several applications serves it is undetermined"
    found = routes(tmp_path / "open", JETTY.format(body.format("packages()")))
    assert [route.partition(":")[0] for route in found] == [
        f"GET /{{computed}}/stops ?{reason}",
        f"GET /{{computed}}/trams ?{reason}",
    ]
    named = routes(tmp_path / "named", JETTY.format(body.format('"tram"')))
    assert named == ["GET /admin/stops", "GET /admin/trams"]
    elsewhere = routes(tmp_path / "elsewhere", JETTY.format(body.format('"bus"')))
    assert elsewhere == BOTH


def test_a_pattern_takes_the_place_of_the_application_s_path(tmp_path: Path) -> None:
    body = 'context.addServlet(new ServletHolder(new ServletContainer(new App())), "/rest/*");'
    app = HEAD + '@ApplicationPath("/app") class App extends ResourceConfig {}'
    assert routes(tmp_path, JETTY.format(body), **{"src/main/java/tram/App.java": app}) == BOTH


@pytest.mark.parametrize(
    "main",
    [
        """static final String BASE = "http://localhost:8080/rest/";
        static Object start() { return GrizzlyHttpServerFactory.createHttpServer(
            URI.create(BASE), new ResourceConfig().packages("tram")); }""",
        """static void start(String host) { JdkHttpServerFactory.createHttpServer(
            URI.create("http://" + host + ":80/rest"), new ResourceConfig()); }""",
        """static void start(String protocol, String host) {
          URI base = UriBuilder.fromUri(String.format("%s://%s/rest/", protocol, host)).build();
          JdkHttpServerFactory.createHttpServer(base, new ResourceConfig()); }""",
        """void onStartup(ServletContext context) {
          context.addServlet("jersey", new ServletContainer()).addMapping("/rest/*"); }""",
        """void onStartup(ServletContext context) {
          ServletRegistration.Dynamic added = context.addServlet("j", new ServletContainer());
          added.addMapping("/rest/*"); }""",
        """Object bean() {
          return new ServletRegistrationBean<>(new ServletContainer(), "/rest/*"); }""",
        """void tomcat(Tomcat tomcat, Context context) {
          Tomcat.addServlet(context, "jersey", new ServletContainer());
          context.addServletMappingDecoded("/rest/*", "jersey"); }""",
    ],
)
def test_other_servers(tmp_path: Path, main: str) -> None:
    assert routes(tmp_path, main) == BOTH


def test_another_servlet_is_no_application(tmp_path: Path) -> None:
    body = 'context.addServlet(new ServletHolder(new MetricsServlet()), "/metrics/*");'
    assert routes(tmp_path, JETTY.format(body)) == ["GET /stops", "GET /trams"]


def test_a_pattern_that_is_not_constant_is_undetermined(tmp_path: Path) -> None:
    body = "context.addServlet(new ServletHolder(new ServletContainer()), args[0]);"
    reason = " ?the path of the application is not constant"
    assert all(route.endswith(reason) for route in routes(tmp_path, JETTY.format(body)))


@pytest.mark.parametrize("name", ["jakarta.ws.rs.core.Application", "tram.App"])
def test_a_mapping_without_a_servlet_s_element(tmp_path: Path, name: str) -> None:
    web_xml = f"""<web-app><!-- <servlet-mapping><servlet-name>{name}</servlet-name>
      <url-pattern>/old/*</url-pattern></servlet-mapping> -->
      <servlet-mapping>
        <servlet-name> {name} </servlet-name>
        <url-pattern>/rest/*</url-pattern>
      </servlet-mapping></web-app>"""
    app = HEAD + "class App extends jakarta.ws.rs.core.Application {}"
    files = {"WebContent/WEB-INF/web.xml": web_xml, "src/main/java/tram/App.java": app}
    assert routes(tmp_path, "", **files) == BOTH
